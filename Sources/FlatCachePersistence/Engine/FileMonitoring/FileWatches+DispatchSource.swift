#if canImport(Darwin)
import Darwin
import Dispatch
import Foundation

/// The watches of all monitors of the process: one dispatch source and one descriptor for each file
/// and folder, shared by the monitors that need it.
final class FileWatches: FileWatching, @unchecked Sendable {
    static let shared = FileWatches()

    // Held during system calls, so it isn't a spin lock. No user code is called under it.
    private let lock = NSLock()
    // Both are guarded by `lock`. The number of an open file isn't reused for another file.
    private var sources: [FileIdentity: any DispatchSourceFileSystemObject] = [:]
    private var table = FileWatchTable<FileIdentity>()
    private let queue = DispatchQueue(label: "FlatCache.FileWatches")

    func watch(_ steps: [ResolvedPath.Step], for monitor: FileMonitorCore) -> FileWatchOutcome {
        lock.withLock {
            // Checked under the lock, since `cancel()` ends the watching under it afterwards.
            guard !monitor.isCancelled else { return FileWatchOutcome() }
            var error: FileError?
            var watches: [FileIdentity: Set<FileInterest>] = [:]
            for step in steps {
                do throws(FileError) {
                    guard let watch = try addWatch(for: step) else { continue }
                    watches[watch, default: []].insert(step.interest)
                } catch let failure {
                    error = error ?? failure
                }
            }
            let hasChanged = replaceWatches(with: watches, of: monitor)
            return FileWatchOutcome(hasChanged: hasChanged, error: error)
        }
    }

    func endWatching(for monitor: FileMonitorCore) {
        lock.withLock { _ = replaceWatches(with: [:], of: monitor) }
    }

    private func replaceWatches(
        with watches: [FileIdentity: Set<FileInterest>],
        of monitor: FileMonitorCore
    ) -> Bool {
        let (unneeded, hasChanged) = table.replaceWatches(with: watches, of: monitor)
        for watch in unneeded {
            sources.removeValue(forKey: watch)?.cancel()
        }
        return hasChanged
    }

    /// Opens the entry of a step, unless it is open; returns `nil` if the entry is missing.
    private func addWatch(for step: ResolvedPath.Step) throws(FileError) -> FileIdentity? {
        if sources[step.identity] != nil { return step.identity }
        let descriptor = open(step.path, O_EVTONLY | O_SYMLINK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let errorNumber = errno
            if FileStatus(errorNumber: errorNumber) == .missing { return nil }
            throw FileError.watching(step.path, code: errorNumber)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let errorNumber = errno
            close(descriptor)
            throw FileError.watching(step.path, code: errorNumber)
        }
        // The entry may have been replaced since the path was resolved.
        let identity = FileIdentity(status)
        if sources[identity] == nil {
            sources[identity] = makeSource(descriptor, identity)
        } else {
            close(descriptor)
        }
        return identity
    }

    private func makeSource(
        _ descriptor: CInt,
        _ identity: FileIdentity
    ) -> any DispatchSourceFileSystemObject {
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor,
            eventMask: [.write, .extend, .attrib, .link, .delete, .rename, .revoke],
            queue: queue
        )
        // Another check finds changes that happened before the source was registered.
        source.setRegistrationHandler { [weak self] in
            self?.notifyMonitors(of: identity, isNew: true)
        }
        source.setEventHandler { [weak self] in self?.notifyMonitors(of: identity, isNew: false) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        return source
    }

    /// Notifies the monitors of an event of a source, on the queue of the sources.
    private func notifyMonitors(of identity: FileIdentity, isNew: Bool) {
        let (event, entries) = lock.withLock {
            (sources[identity]?.data ?? [], table.entries(for: identity))
        }
        for entry in entries {
            if isNew {
                entry.monitor.handle(.possibleChange)
            } else {
                for interest in entry.interests {
                    if let signal = event.signal(for: interest) { entry.monitor.handle(signal) }
                }
            }
        }
    }
}

extension DispatchSource.FileSystemEvent {
    /// Returns the signal of the event for an interest, or `nil` if the interest ignores the event.
    ///
    /// An event of a folder doesn't contain the changed entry, and an event of a file doesn't show
    /// whether the write is complete.
    fileprivate func signal(for interest: FileInterest) -> FileSignal? {
        let isGone = !isDisjoint(with: [.delete, .rename, .revoke])
        switch interest {
        case .contents:
            if isGone { return .removal }
            return isDisjoint(with: [.attrib, .link]) ? .writing : .written
        case .itself:
            return isGone || contains(.attrib) ? .pathChange : nil
        case .file, .link, .entry:
            return isGone || contains(.attrib) ? .pathChange : .possibleChange
        }
    }
}
#endif
