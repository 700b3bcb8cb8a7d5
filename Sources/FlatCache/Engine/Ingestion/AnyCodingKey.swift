/// A key of an object whose keys are unknown.
struct AnyCodingKey: CodingKey {
    static let id = AnyCodingKey(stringValue: "id")

    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
