@testable import FlatCacheTestSupport

/// An entity of a history, which holds a list of entries.
///
/// Each entry is written only once, so that the list shows lost writes and writes that were visible
/// too early.
protocol HistoryEntity: Identifiable, Sendable where ID: Sendable {
    /// Returns an identifier. If its type allows, it pauses while the cache looks it up.
    static func id(_ number: Int, pausing pause: Pause) -> ID
    static func number(of id: ID) -> Int

    var entries: [Int] { get set }

    /// Creates a value. If its type allows, it pauses while the cache stores it.
    init(number: Int, entries: [Int], pausing pause: Pause)
}

extension HistoryEntity {
    var number: Int { Self.number(of: id) }
}
