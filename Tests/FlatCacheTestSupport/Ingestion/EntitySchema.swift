/// A description of an entity's type in `Library`, independent of `Codable`.
struct EntitySchema: Sendable {
    indirect enum Kind: Sendable {
        case number
        case text
        case optional(Kind)
        /// A value that can be unknown.
        case known(Kind)
        case relation(String)
        /// A relation to an entity of one of several types, or of an unknown type.
        case polymorphic([String])
        case array(Kind)
        case dictionary(Kind)
        case structure([Field])
    }

    struct Field: Sendable {
        let name: String
        let kind: Kind
        var isRequired = true

        var canBeUnknown: Bool { if case .known = kind { true } else { false } }
    }

    let name: String
    let hasNumbers: Bool
    var merges = false
    /// The fields in the order in which the model declares them.
    let fields: [Field]

    func identifier(_ number: Int) -> JSON {
        hasNumbers ? .number(number) : .text("\(name) \(number)")
    }

    static func named(_ name: String) -> EntitySchema {
        all.first { $0.name == name } ?? novel
    }

    static let all = [city, person, novel, tag]

    static let city = EntitySchema(
        name: "City",
        hasNumbers: false,
        fields: [
            Field(name: "name", kind: .text),
            Field(name: "mayor", kind: .optional(.relation("Person")), isRequired: false),
        ]
    )

    static let person = EntitySchema(
        name: "Person",
        hasNumbers: true,
        merges: true,
        fields: [
            Field(name: "name", kind: .optional(.text), isRequired: false),
            Field(name: "age", kind: .optional(.number), isRequired: false),
            Field(name: "home", kind: .optional(.relation("City")), isRequired: false),
            Field(name: "birthplace", kind: .known(.relation("City")), isRequired: false),
        ]
    )

    static let novel = EntitySchema(
        name: "Novel",
        hasNumbers: true,
        fields: [
            Field(name: "title", kind: .text),
            Field(name: "author", kind: .relation("Person")),
            Field(name: "sequel", kind: .optional(.relation("Novel")), isRequired: false),
            Field(name: "tags", kind: .array(.relation("Tag"))),
            Field(name: "settings", kind: .array(.relation("City")), isRequired: false),
            Field(name: "readers", kind: .dictionary(.relation("Person")), isRequired: false),
            Field(
                name: "editions",
                kind: .array(
                    .structure([
                        Field(name: "pages", kind: .number),
                        Field(name: "printedIn", kind: .optional(.relation("City"))),
                    ])
                ),
                isRequired: false
            ),
            Field(
                name: "subjects",
                kind: .array(.polymorphic(["Person", "City"])),
                isRequired: false
            ),
        ]
    )

    static let tag = EntitySchema(
        name: "Tag",
        hasNumbers: false,
        fields: [Field(name: "note", kind: .optional(.text), isRequired: false)]
    )
}
