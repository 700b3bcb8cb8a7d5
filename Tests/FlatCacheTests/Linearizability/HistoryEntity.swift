/// A value of a history: a list of entries, each of which is written once only, so that what has
/// been lost, or seen too early, can be told from the list.
protocol HistoryEntity: Identifiable, Sendable where ID: Sendable {
    /// Makes an identifier; where its type allows, looking it up pauses.
    static func id(_ number: Int, pausing pause: Pause) -> ID
    static func number(of id: ID) -> Int

    var entries: [Int] { get set }

    /// Creates a value; where its type allows, storing it pauses.
    init(number: Int, entries: [Int], pausing pause: Pause)
}

extension HistoryEntity {
    var number: Int { Self.number(of: id) }
}
