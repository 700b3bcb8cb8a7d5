import FlatCache

extension ReferenceNormalizer {
    /// Creates the state of a cache.
    init(_ cache: Cache) {
        entities = [:]
        for city in cache.values(of: Library.City.self) {
            entities["City \(text(city.id))"] = entity(
                ("name", text(city.name)),
                ("mayor", city.mayor.map { "\($0.id)" })
            )
        }
        for person in cache.values(of: Library.Person.self) {
            entities["Person \(person.id)"] = entity(
                ("name", person.name.map(text)),
                ("age", person.age.map { "\($0)" }),
                ("home", person.home.map { text($0.id) }),
                (
                    "birthplace",
                    person.$birthplace.isKnown
                        ? person.birthplace.map { text($0.id) } ?? "null" : nil
                )
            )
        }
        for tag in cache.values(of: Library.Tag.self) {
            entities["Tag \(text(tag.id))"] = entity(("note", tag.note.map(text)))
        }
        for novel in cache.values(of: Library.Novel.self) {
            entities["Novel \(novel.id)"] = entity(
                ("title", text(novel.title)),
                ("author", "\(novel.author.id)"),
                ("sequel", novel.sequel.map { "\($0.id)" }),
                ("tags", list(novel.tags.map { text($0.id) })),
                ("settings", novel.settings.map { list($0.map { text($0.id) }.sorted()) }),
                ("readers", novel.readers?.map { "\($0)=\($1.id)" }.joined()),
                (
                    "editions",
                    novel.editions.map {
                        list(
                            $0.map { "\($0.pages)" + ($0.printedIn.map { text($0.id) } ?? "null") }
                        )
                    }
                ),
                ("subjects", novel.subjects.map { list($0.map(text)) })
            )
        }
    }

    /// Sorts the elements of sets, whose order means nothing.
    var sorted: ReferenceNormalizer {
        var copy = self
        for (key, entity) in entities {
            guard let settings = entity["settings"] else { continue }
            let elements = Set(settings.dropFirst().dropLast().split(separator: ","))
            copy.entities[key]?["settings"] = list(elements.sorted().map(String.init))
        }
        return copy
    }

    /// Returns the first differences between two states.
    func differences(from other: ReferenceNormalizer) -> String? {
        let keys = Set(entities.keys).union(other.entities.keys).sorted()
        let different = keys.filter { entities[$0] != other.entities[$0] }
        guard !different.isEmpty else { return nil }
        return different.prefix(3)
            .map { key in
                let (left, right) = (entities[key], other.entities[key])
                return
                    "\(key): \(left.map { "\($0)" } ?? "-") isn't \(right.map { "\($0)" } ?? "-")"
            }
            .joined(separator: "\n")
    }
}

private func text(_ text: String) -> String { "\"\(text)\"" }

private func text(_ subject: Library.Subject) -> String {
    switch subject {
    case .person(let person): "Person\(person.id)"
    case .city(let city): "City" + text(city.id)
    case .other(let other): other.type + (other.id ?? "?")
    }
}

private func list(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

private func entity(_ fields: (String, String?)...) -> ReferenceNormalizer.Entity {
    var entity: ReferenceNormalizer.Entity = [:]
    for (name, value) in fields where value != nil { entity[name] = value }
    return entity
}
