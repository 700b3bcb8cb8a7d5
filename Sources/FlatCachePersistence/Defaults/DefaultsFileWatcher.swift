import FlatCache
import Foundation

/// Watches the file of a domain for as long as any of its keys is watched, once for all of them.
///
/// One event is told once, for all keys: whoever reads their values then reads the file once, because
/// the domain knows it for the rest of them.
final class DefaultsFileWatcher: DefaultsWatcher, @unchecked Sendable {
    /// Begins to watch the file; calls the closure at each event.
    typealias Start = @Sendable (_ onEvent: @escaping @Sendable () -> Void) -> Disposable?

    private let start: Start
    // Held while the watching begins, which takes calls of the system.
    private let turn = WriterLock()
    // Guarded by `turn`.
    private var users = 0
    private var watching: Disposable?

    init(start: @escaping Start) {
        self.start = start
    }

    func watch(
        _ key: String,
        onOutdated: @escaping @Sendable () -> Void,
        onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable? {
        turn.acquire()
        defer { turn.release() }
        users += 1
        if users == 1 { watching = start { onChange(nil) } }
        return Disposable { self.leave() }
    }

    private func leave() {
        var ended: Disposable?
        turn.acquire()
        users -= 1
        if users == 0 { ended = watching.take() }
        turn.release()
        // Outside of the lock: its end may wait for its last call.
        ended?.dispose()
    }
}
