import Foundation
import TestSupport
import Testing

@testable import FlatCache
@testable import FlatCachePersistence

/// The events of a monitor, with the contents of its file at each event.
final class MonitorLog: Sendable {
    struct Entry: Hashable {
        var event: FileEvent
        /// `nil` if the file could not be read.
        var contents: String?
    }

    private let guarded = Locked<[Entry]>([])
    /// The number of entries that a test has checked.
    private let checkedCount = Locked(0)

    var entries: [Entry] { guarded.withLock { $0 } }
    var events: [FileEvent] { entries.map(\.event) }
    var last: Entry? { guarded.withLock { $0.last } }

    /// Creates a monitor whose events are added to the log.
    func monitor(_ url: URL) -> FileWriteMonitor {
        FileWriteMonitor(url: url) { self.note($0, of: url) }
    }

    func note(_ event: FileEvent, of url: URL) {
        let contents = (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
        guarded.withLock { $0.append(Entry(event: event, contents: contents)) }
    }

    /// Waits until an event has been logged since the last wait and the last contents are as
    /// expected.
    ///
    /// A check may happen during a write, so other events may be logged as well.
    ///
    /// - Parameter event: The event; `nil` for any.
    func receives(_ event: FileEvent?, _ contents: String?) async -> Bool {
        let known = checkedCount.withLock { $0 }
        let isReceived = await until { entries in
            let new = entries.dropFirst(known)
            let hasEvent = event.map { event in new.contains { $0.event == event } } ?? true
            return hasEvent && new.last?.contents == contents && !new.isEmpty
        }
        checkedCount.withLock { $0 = entries.count }
        return isReceived
    }

    /// Waits until the entries meet a condition, and returns whether they do.
    func until(_ condition: ([Entry]) -> Bool) async -> Bool {
        await TestSupport.until { condition(entries) }
    }
}
