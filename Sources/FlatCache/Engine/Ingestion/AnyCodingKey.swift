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
