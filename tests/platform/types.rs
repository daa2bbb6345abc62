//! Types of interface definitions as text, so that two definitions can be compared whatever
//! the order and the ids they were read in.

use wit_parser::{Function, Handle, InterfaceId, Resolve, Type, TypeDefKind, TypeId};

/// `namespace:package/interface@version`.
pub(crate) fn interface_name(resolve: &Resolve, id: InterfaceId) -> String {
    resolve
        .id_of(id)
        .unwrap_or_else(|| "(anonymous)".to_owned())
}

/// Parameters and result of a function, types spelled out.
pub(crate) fn describe_function(resolve: &Resolve, function: &Function) -> String {
    let parameters: Vec<String> = function
        .params
        .iter()
        .map(|parameter| format!("{}: {}", parameter.name, describe(resolve, &parameter.ty)))
        .collect();
    let result = function
        .result
        .as_ref()
        .map_or("nothing".to_owned(), |ty| describe(resolve, ty));
    format!("({}) -> {result}", parameters.join(", "))
}

fn describe(resolve: &Resolve, ty: &Type) -> String {
    match ty {
        Type::Id(id) => describe_definition(resolve, *id),
        simple => format!("{simple:?}").to_lowercase(),
    }
}

fn optional(resolve: &Resolve, ty: Option<&Type>) -> String {
    ty.map_or("_".to_owned(), |ty| describe(resolve, ty))
}

fn describe_definition(resolve: &Resolve, id: TypeId) -> String {
    let definition = &resolve.types[id];
    let name = definition.name.as_deref().unwrap_or("");
    match &definition.kind {
        TypeDefKind::Type(ty) => describe(resolve, ty),
        TypeDefKind::Resource => format!("resource {name}"),
        TypeDefKind::Handle(Handle::Own(id)) => {
            format!("own {}", describe_definition(resolve, *id))
        }
        TypeDefKind::Handle(Handle::Borrow(id)) => {
            format!("borrow {}", describe_definition(resolve, *id))
        }
        TypeDefKind::Record(record) => {
            let fields: Vec<String> = record
                .fields
                .iter()
                .map(|field| format!("{}: {}", field.name, describe(resolve, &field.ty)))
                .collect();
            format!("record {name} {{{}}}", fields.join(", "))
        }
        TypeDefKind::Variant(variant) => {
            let cases: Vec<String> = variant
                .cases
                .iter()
                .map(|case| format!("{}({})", case.name, optional(resolve, case.ty.as_ref())))
                .collect();
            format!("variant {name} {{{}}}", cases.join(", "))
        }
        TypeDefKind::Enum(cases) => {
            let cases: Vec<&str> = cases.cases.iter().map(|case| case.name.as_str()).collect();
            format!("enum {name} {{{}}}", cases.join(", "))
        }
        TypeDefKind::Flags(flags) => {
            let flags: Vec<&str> = flags.flags.iter().map(|flag| flag.name.as_str()).collect();
            format!("flags {name} {{{}}}", flags.join(", "))
        }
        TypeDefKind::Tuple(tuple) => {
            let types: Vec<String> = tuple.types.iter().map(|ty| describe(resolve, ty)).collect();
            format!("tuple<{}>", types.join(", "))
        }
        TypeDefKind::Option(ty) => format!("option<{}>", describe(resolve, ty)),
        TypeDefKind::List(ty) => format!("list<{}>", describe(resolve, ty)),
        TypeDefKind::Result(result) => format!(
            "result<{}, {}>",
            optional(resolve, result.ok.as_ref()),
            optional(resolve, result.err.as_ref())
        ),
        TypeDefKind::Future(ty) => format!("future<{}>", optional(resolve, ty.as_ref())),
        TypeDefKind::Stream(ty) => format!("stream<{}>", optional(resolve, ty.as_ref())),
        other => format!("{other:?}"),
    }
}
