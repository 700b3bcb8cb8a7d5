/// A key of an object whose keys are unknown.
@usableFromInline
struct AnyCodingKey: CodingKey {
    static let id = AnyCodingKey(stringValue: "id")

    @usableFromInline let stringValue: String
    @usableFromInline let intValue: Int?

    @usableFromInline
    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    @usableFromInline
    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

extension [any CodingKey] {
    /// The keys as text, such as `items[1].author`.
    var path: String {
        reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
