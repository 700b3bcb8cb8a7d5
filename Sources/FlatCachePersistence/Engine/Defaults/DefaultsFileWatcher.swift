import FlatCache
import Foundation

/// A watcher of a domain's file that starts with the first watched key and ends with the last.
///
/// All keys share one file monitor, so each event is reported once for all of them. The first key
/// whose value is read afterwards reads the file, and the other keys use the domain's copy.
final class DefaultsFileWatcher: DefaultsWatcher, @unchecked Sendable {
    /// Starts to watch the file and calls the closure at each event.
    typealias Start = @Sendable (_ onEvent: @escaping @Sendable () -> Void) -> Disposable?

    private let start: Start
    // Held while the file monitor starts. Starting it takes system calls.
    private let lock = WriterLock()
    // Guarded by `lock`.
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
        lock.acquire()
        defer { lock.release() }
        users += 1
        if users == 1 { watching = start { onChange(nil) } }
        return Disposable { self.leave() }
    }

    private func leave() {
        var ended: Disposable?
        lock.acquire()
        users -= 1
        if users == 0 { ended = watching.take() }
        lock.release()
        // Without the lock: disposing may wait for the monitor's last call.
        ended?.dispose()
    }
}
