#if !canImport(Darwin)
import FlatCache
import Foundation

/// A watcher of a domain's file, for all keys.
///
/// It starts with the first watched key and lasts as long as the domain, because each access of a
/// container's property watches a key for a moment only. The first key whose value is read after an
/// event reads the file, and the other keys use the domain's copy.
final class DefaultsFileWatcher: DefaultsWatcher, @unchecked Sendable {
    private let file: URL
    // Held while the monitor starts, because that takes system calls.
    private let lock = WriterLock()
    // Guarded by `lock`.
    private var monitor: FileWriteMonitor?

    init(file: URL) { self.file = file }

    func watch(
        _ key: String,
        onOutdated: @escaping @Sendable () -> Void,
        onChange: @escaping @Sendable (String?) -> Void
    ) -> Disposable? {
        lock.acquire()
        defer { lock.release() }
        if monitor == nil { monitor = FileWriteMonitor(url: file) { _ in onChange(nil) } }
        return nil
    }
}

extension FileDefaultsDomain {
    func makeWatcher() -> DefaultsFileWatcher {
        DefaultsFileWatcher(file: URL(fileURLWithPath: path, isDirectory: false))
    }
}
#endif
