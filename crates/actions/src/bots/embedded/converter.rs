//! Converts between units: `12 km mi`, `30 c f`, `5 kg to lb`.

use std::collections::BTreeMap;

use super::EmbeddedBot;

pub(super) const BOT: EmbeddedBot = EmbeddedBot {
    name: "converter",
    config: &[],
    answer,
};

/// What a unit measures; only those of the same kind can be converted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Length,
    Mass,
    Volume,
    Time,
    Temperature,
}

/// Names, kind, and how many of the base unit one is, with what is added first.
type Unit = (&'static [&'static str], Kind, f64, f64);

const UNITS: [Unit; 21] = [
    (&["mm"], Kind::Length, 0.001, 0.0),
    (&["cm"], Kind::Length, 0.01, 0.0),
    (&["m", "meter", "metre"], Kind::Length, 1.0, 0.0),
    (&["km"], Kind::Length, 1000.0, 0.0),
    (&["in", "inch"], Kind::Length, 0.0254, 0.0),
    (&["ft", "foot", "feet"], Kind::Length, 0.3048, 0.0),
    (&["yd", "yard"], Kind::Length, 0.9144, 0.0),
    (&["mi", "mile", "miles"], Kind::Length, 1609.344, 0.0),
    (&["g", "gram"], Kind::Mass, 0.001, 0.0),
    (&["kg"], Kind::Mass, 1.0, 0.0),
    (&["oz", "ounce"], Kind::Mass, 0.028_349_523_125, 0.0),
    (&["lb", "pound"], Kind::Mass, 0.453_592_37, 0.0),
    (&["ml"], Kind::Volume, 0.001, 0.0),
    (&["l", "liter", "litre"], Kind::Volume, 1.0, 0.0),
    (&["gal", "gallon"], Kind::Volume, 3.785_411_784, 0.0),
    (&["s", "second", "seconds"], Kind::Time, 1.0, 0.0),
    (&["min", "minute", "minutes"], Kind::Time, 60.0, 0.0),
    (&["h", "hour", "hours"], Kind::Time, 3600.0, 0.0),
    (&["k", "kelvin"], Kind::Temperature, 1.0, 0.0),
    (&["c", "celsius"], Kind::Temperature, 1.0, 273.15),
    (&["f", "fahrenheit"], Kind::Temperature, 5.0 / 9.0, 459.67),
];

const HELP: &str = "I convert units: write a number, the unit it has and the unit it is to have, \
                    such as `12 km mi` or `30 c f`.";

fn answer(text: &str, _: &BTreeMap<String, String>) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(str::to_lowercase)
        .filter(|word| word != "to")
        .collect();
    let [number, from, to] = words.as_slice() else {
        return HELP.to_owned();
    };
    let Some(number) = number.parse::<f64>().ok().filter(|value| value.is_finite()) else {
        return HELP.to_owned();
    };
    match (unit(from), unit(to)) {
        (Some(one), Some(other)) if one.1 == other.1 => {
            let base = (number + one.3) * one.2;
            let value = base / other.2 - other.3;
            format!("{number} {from} = {} {to}", rounded(value))
        }
        (Some(_), Some(_)) => format!("{from} and {to} do not measure the same."),
        (None, _) => format!("I do not know the unit {}.", shown(from)),
        (_, None) => format!("I do not know the unit {}.", shown(to)),
    }
}

fn unit(name: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|(names, ..)| names.contains(&name))
}

/// Four places, without zeros at the end.
fn rounded(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

/// A user's word as code, so that it has no effect as Markdown.
fn shown(word: &str) -> String {
    let plain: String = word
        .chars()
        .filter(|c| c.is_alphanumeric())
        .take(20)
        .collect();
    format!("`{plain}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_converted_within_their_kind() {
        let cases = [
            ("12 km mi", "12 km = 7.4565 mi"),
            ("30 C f", "30 c = 86 f"),
            ("-40 f to c", "-40 f = -40 c"),
            ("1 gal l", "1 gal = 3.7854 l"),
            ("90 min h", "90 min = 1.5 h"),
            ("0 m cm", "0 m = 0 cm"),
            ("1 kg m", "kg and m do not measure the same."),
            ("1 @**all** m", "I do not know the unit `all`."),
        ];
        for (text, expected) in cases {
            assert_eq!(answer(text, &BTreeMap::new()), expected, "{text}");
        }
        for text in ["", "hello", "x km mi", "nan m cm", "1 m"] {
            assert_eq!(answer(text, &BTreeMap::new()), HELP, "{text}");
        }
    }
}
