import Foundation

@testable import FlatCache
@testable import FlatCachePersistence

/// What a monitor has told, and what was in its file each time.
final class MonitorLog: Sendable {
    struct Entry: Hashable {
        var event: FileEvent
        /// `nil` if the file could not be read.
        var contents: String?
    }

    private let guarded = Guarded<[Entry]>([])
    /// How many entries a test has been through.
    private let checkedCount = Guarded(0)

    var entries: [Entry] { guarded.withLock { $0 } }
    var events: [FileEvent] { entries.map(\.event) }
    var last: Entry? { guarded.withLock { $0.last } }

    /// Creates a monitor that tells the log.
    func monitor(_ url: URL) -> FileWriteMonitor {
        FileWriteMonitor(url: url) { self.note($0, of: url) }
    }

    func note(_ event: FileEvent, of url: URL) {
        let contents = (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) }
        guarded.withLock { $0.append(Entry(event: event, contents: contents)) }
    }

    /// Waits until an event has been told since the last such wait, and contents have been read
    /// last; returns whether it comes to that.
    ///
    /// A writer may be seen at work, so that other events come too.
    ///
    /// - Parameter event: The event; `nil` for any.
    func tells(_ event: FileEvent?, _ contents: String?) async -> Bool {
        let known = checkedCount.withLock { $0 }
        let told = await comes { entries in
            let new = entries.dropFirst(known)
            let isTold = event.map { event in new.contains { $0.event == event } } ?? true
            return isTold && new.last?.contents == contents && !new.isEmpty
        }
        checkedCount.withLock { $0 = entries.count }
        return told
    }

    /// Waits until something holds; returns whether it comes to that within a generous time.
    func comes(to condition: ([Entry]) -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + generousTime
        while !condition(entries) {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }
}
