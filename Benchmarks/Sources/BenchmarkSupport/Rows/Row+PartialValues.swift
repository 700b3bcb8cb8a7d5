extension Row {
    /// Rows about properties that a response may omit.
    static let partialValueRows = [
        Row(
            "26a",
            "merging ten Known fields, per merge",
            against: "merging ten optionals",
            target: 1.2
        ) { scale in
            let merges = scale(1_000_000)
            let known = (0..<1_000).map { (KnownNovel($0, part: 0), KnownNovel($0, part: 1)) }
            let plain = (0..<1_000).map { (OptionalNovel($0, part: 0), OptionalNovel($0, part: 1)) }
            return Contest {
                measure(merges, over: plain) { $0.merged(with: $1) }
            } subject: {
                measure(merges, over: known) { $0.merged(with: $1) }
            }
        },
        Row(
            "26b",
            "changing a Known field in place",
            against: "changing an optional in place"
        ) { scale in
            let changes = scale(5_000_000)
            var known = (0..<1_000).map { KnownNovel($0, part: 0) }
            var plain = (0..<1_000).map { OptionalNovel($0, part: 0) }
            return Contest {
                Stopwatch.nanoseconds(per: changes) {
                    for _ in 0..<(changes / plain.count) {
                        for index in plain.indices { plain[index].year? += 1 }
                    }
                    blackHole(plain)
                }
            } subject: {
                Stopwatch.nanoseconds(per: changes) {
                    for _ in 0..<(changes / known.count) {
                        for index in known.indices { known[index].year? += 1 }
                    }
                    blackHole(known)
                }
            }
        },
        Row(
            "26c",
            "a macro's merge of ten Known fields, per merge",
            against: "the merge of the guide",
            target: 1.05
        ) { scale in
            let merges = scale(1_000_000)
            let pairs = (0..<1_000).map { (KnownNovel($0, part: 0), KnownNovel($0, part: 1)) }
            return Contest {
                measure(merges, over: pairs) { $0.merged(with: $1) }
            } subject: {
                measure(merges, over: pairs) { $0.mergedByMacro(with: $1) }
            }
        },
        Row(
            "26d",
            "a macro's merge of ten optionals, per merge",
            against: "the merge of the guide",
            target: 1.05
        ) { scale in
            let merges = scale(1_000_000)
            let pairs = (0..<1_000).map { (OptionalNovel($0, part: 0), OptionalNovel($0, part: 1)) }
            return Contest {
                measure(merges, over: pairs) { $0.merged(with: $1) }
            } subject: {
                measure(merges, over: pairs) { $0.mergedByMacro(with: $1) }
            }
        },
    ]

    /// Returns the nanoseconds per merge of merging pairs, over and over again.
    private static func measure<Value>(
        _ merges: Int,
        over pairs: [(Value, Value)],
        _ merge: (Value, Value) -> Value
    ) -> Double {
        Stopwatch.nanoseconds(per: merges) {
            for _ in 0..<(merges / pairs.count) {
                for (older, newer) in pairs { blackHole(merge(older, newer)) }
            }
        }
    }
}

extension KnownNovel {
    /// Creates a novel of which half the fields are known.
    init(_ id: Int, part: Int) {
        self.init(
            id: id,
            title: part == 0 ? Texts.title(id) : nil,
            subtitle: part == 1 ? Texts.title(id, edition: 1) : nil,
            language: part == 0 ? "English" : nil,
            publisher: part == 1 ? Texts.identifier(id) : nil,
            year: part == 0 ? 1_900 + id % 100 : nil,
            pages: part == 1 ? id : nil,
            edition: part == 0 ? 1 : nil,
            price: part == 1 ? 9.99 : nil,
            rating: part == 0 ? 4.5 : nil,
            isAvailable: part == 1 ? true : nil
        )
    }
}

extension OptionalNovel {
    /// Creates a novel of which half the fields are known.
    init(_ id: Int, part: Int) {
        self.init(
            id: id,
            title: part == 0 ? Texts.title(id) : nil,
            subtitle: part == 1 ? Texts.title(id, edition: 1) : nil,
            language: part == 0 ? "English" : nil,
            publisher: part == 1 ? Texts.identifier(id) : nil,
            year: part == 0 ? 1_900 + id % 100 : nil,
            pages: part == 1 ? id : nil,
            edition: part == 0 ? 1 : nil,
            price: part == 1 ? 9.99 : nil,
            rating: part == 0 ? 4.5 : nil,
            isAvailable: part == 1 ? true : nil
        )
    }
}
