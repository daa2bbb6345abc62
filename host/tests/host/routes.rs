//! The router against vectors that hold for Spin as well.

use crate::common::root;
use serde::Deserialize;
use spindle_front::Router;
use spindle_manifest::Route;

#[derive(Deserialize)]
struct Vectors {
    routes: Vec<(String, String)>,
    cases: Vec<(String, Option<String>)>,
}

#[test]
fn every_vector_reaches_its_component() {
    let path = root().join("tests/vectors/routes.json");
    let all: Vec<Vectors> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut checked = 0;
    for vectors in all {
        let routes: Vec<Route> = vectors
            .routes
            .iter()
            .map(|(pattern, component)| Route {
                pattern: pattern.clone(),
                component: component.clone(),
            })
            .collect();
        let names: Vec<&str> = routes.iter().map(|r| r.component.as_str()).collect();
        let number = |id: &str| names.iter().position(|name| *name == id);
        let router = Router::new(&routes, number).unwrap();
        for (path, expected) in &vectors.cases {
            let found = router.find(path).map(|number| names[number]);
            assert_eq!(
                found,
                expected.as_deref(),
                "{path} among {:?}",
                vectors.routes
            );
            checked += 1;
        }
    }
    assert!(checked > 40, "{checked}");
}
