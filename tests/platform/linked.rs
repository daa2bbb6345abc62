//! The SQL statements in the file of a component.
//!
//! Every statement is a constant, and the linker drops what a component cannot reach. So this is
//! all that it can run, more than any test runs. Code refers to a text by two numbers, its address
//! and its length, which usually follow each other; where they do not, the length is the one with
//! which SQLite accepts the text.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use wasmparser::{DataKind, Encoding, Operator, Parser, Payload};

const FIRST_WORDS: [&str; 6] = [
    "SELECT ", "INSERT ", "UPDATE ", "DELETE ", "REPLACE ", "WITH ",
];
/// Possible lengths of a statement.
const LENGTHS: std::ops::RangeInclusive<usize> = 12..=20_000;

/// A module of WebAssembly, reduced to its texts.
#[derive(Default)]
struct Module {
    /// Constants of each function, in their order.
    functions: Vec<Vec<usize>>,
    /// Address in memory, and content.
    data: Vec<(usize, Vec<u8>)>,
    /// The same, read as numbers.
    words: Vec<Vec<usize>>,
}

/// The statements in the file of a component. `understands` says whether a text is one.
pub fn statements(
    component: &[u8],
    understands: &mut dyn FnMut(&str) -> bool,
) -> Result<BTreeSet<String>, String> {
    let mut known = HashMap::new();
    let mut understands = |text: &str| match known.get(text) {
        Some(is_known) => *is_known,
        None => {
            let is_known = understands(text);
            known.insert(text.to_owned(), is_known);
            is_known
        }
    };
    let mut found = BTreeSet::new();
    for module in modules(component).map_err(|error| error.to_string())? {
        let mut places = module.places_of_postgres();
        let mut others = Vec::new();
        for beginning in module.beginnings() {
            let (text, near) = (beginning.text, beginning.near);
            let statement = longest(text, near, &mut understands)
                .or_else(|| longest(text, beginning.wider, &mut understands))
                .or_else(|| longest(text, &module.constants(), &mut understands));
            let Some(statement) = statement else {
                others.push((beginning.address, text));
                continue;
            };
            places.push(beginning.address..beginning.address + statement.len());
            found.insert(statement.to_owned());
        }
        // A number can be the address of a byte within a statement by coincidence.
        let is_within = |address: &usize| places.iter().any(|place| place.contains(address));
        if let Some((_, text)) = others.iter().find(|(address, _)| !is_within(address)) {
            return Err(format!("no statement begins with {:?}", start(text)));
        }
    }
    Ok(found)
}

/// A part of a statement may be a valid statement, so the longest one counts.
fn longest<'t>(
    text: &'t str,
    numbers: &[usize],
    understands: &mut dyn FnMut(&str) -> bool,
) -> Option<&'t str> {
    let numbers = numbers.iter().copied();
    let lengths: BTreeSet<usize> = numbers.filter(|number| LENGTHS.contains(number)).collect();
    let mut texts = lengths.iter().rev();
    texts.find_map(|length| text.get(..*length).filter(|text| understands(text)))
}

fn start(text: &str) -> String {
    text.chars().take(300).collect()
}

fn modules(component: &[u8]) -> Result<Vec<Module>, wasmparser::BinaryReaderError> {
    let mut modules: Vec<Module> = Vec::new();
    for payload in Parser::new(0).parse_all(component) {
        match payload? {
            Payload::Version {
                encoding: Encoding::Module,
                ..
            } => modules.push(Module::default()),
            Payload::CodeSectionEntry(body) => {
                let mut constants = Vec::new();
                for operator in body.get_operators_reader()? {
                    match operator? {
                        Operator::I32Const { value } => constants.push(value as u32 as usize),
                        // Two numbers that are written to memory together.
                        Operator::I64Const { value } => {
                            constants.push(value as u32 as usize);
                            constants.push((value as u64 >> 32) as usize);
                        }
                        _ => {}
                    }
                }
                let module = modules.last_mut().expect("code lies in a module");
                module.functions.push(constants);
            }
            Payload::DataSection(section) => {
                let module = modules.last_mut().expect("data lies in a module");
                for data in section {
                    let data = data?;
                    let DataKind::Active { offset_expr, .. } = data.kind else {
                        continue;
                    };
                    if let Operator::I32Const { value } =
                        offset_expr.get_operators_reader().read()?
                    {
                        let begin = value as u32 as usize;
                        module.words.push(words(begin, data.data));
                        module.data.push((begin, data.data.to_vec()));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(modules)
}

/// A candidate for the beginning of a statement.
struct Beginning<'m> {
    /// The address of its first byte.
    address: usize,
    /// Up to where texts end.
    text: &'m str,
    /// Numbers next to the address, one of which is usually the length.
    near: &'m [usize],
    /// Further numbers of the same function.
    wider: &'m [usize],
}

impl Module {
    /// Candidates that code or data refers to.
    fn beginnings(&self) -> Vec<Beginning<'_>> {
        let mut beginnings = Vec::new();
        for constants in self.functions.iter().chain(&self.words) {
            for (place, constant) in constants.iter().enumerate() {
                if let Some(text) = self.text_at(*constant) {
                    let end = (place + 9).min(constants.len());
                    beginnings.push(Beginning {
                        address: *constant,
                        text,
                        near: &constants[place.saturating_sub(4)..end],
                        wider: constants,
                    });
                }
            }
        }
        beginnings
    }

    /// Where the texts for PostgreSQL lie. Each begins with a blank, so none is taken for one of SQLite, and data refers
    /// to it by its address and its length.
    fn places_of_postgres(&self) -> Vec<Range<usize>> {
        let pairs = self.words.iter().flat_map(|words| words.windows(2));
        let places = pairs.filter_map(|pair| {
            let &[address, length] = pair else {
                return None;
            };
            let is_one = LENGTHS.contains(&length)
                && self.byte_at(address) == Some(b' ')
                && self.text_at(address + 1).is_some();
            is_one.then_some(address..address + length)
        });
        places.collect()
    }

    fn byte_at(&self, address: usize) -> Option<u8> {
        let is_here =
            |(begin, bytes): &&(usize, Vec<u8>)| (*begin..begin + bytes.len()).contains(&address);
        let (begin, bytes) = self.data.iter().find(is_here)?;
        bytes.get(address - begin).copied()
    }

    fn constants(&self) -> Vec<usize> {
        self.functions.iter().flatten().copied().collect()
    }

    /// The text in memory from `address` on, if it starts like a statement.
    fn text_at(&self, address: usize) -> Option<&str> {
        let (begin, bytes) = self
            .data
            .iter()
            .find(|(begin, bytes)| (*begin..begin + bytes.len()).contains(&address))?;
        let bytes = &bytes[address - begin..];
        if !FIRST_WORDS
            .iter()
            .any(|word| bytes.starts_with(word.as_bytes()))
        {
            return None;
        }
        let bytes = &bytes[..bytes.len().min(*LENGTHS.end())];
        let end = match std::str::from_utf8(bytes) {
            Ok(text) => return Some(text),
            Err(error) => error.valid_up_to(),
        };
        std::str::from_utf8(&bytes[..end]).ok()
    }
}

/// Numbers in data, as pointers and lengths are stored: four bytes at an address divisible by four.
fn words(begin: usize, data: &[u8]) -> Vec<usize> {
    let aligned = data
        .get(begin.next_multiple_of(4) - begin..)
        .unwrap_or_default();
    let words = aligned.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]) as usize)
        .collect()
}
