#if canImport(Darwin)
import Darwin
import Dispatch
import Foundation

/// Watches for all monitors of the process with one dispatch source and one descriptor for each
/// file and folder, which all monitors that need it share.
final class FileWatches: FileWatching, @unchecked Sendable {
    static let shared = FileWatches()

    // Held during calls of the system but none of users', therefore no spin lock.
    private let lock = NSLock()
    // Both guarded by `lock`. A file that is open keeps its number, so no other one gets it.
    private var sources: [FileIdentity: any DispatchSourceFileSystemObject] = [:]
    private var table = FileWatchTable<FileIdentity>()
    private let queue = DispatchQueue(label: "FlatCache.FileWatches")

    func watch(_ steps: [FileRoute.Step], for monitor: FileMonitorCore) -> FileWatchOutcome {
        lock.withLock {
            // Asked under the lock: whoever cancels ends the watching under it afterwards.
            guard !monitor.isCancelled else { return FileWatchOutcome() }
            var error: FileWatchError?
            var watches: [FileIdentity: Set<FileInterest>] = [:]
            for step in steps {
                do throws(FileWatchError) {
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

    /// Opens what is there, if no monitor has done so; `nil` if nothing is.
    private func addWatch(for step: FileRoute.Step) throws(FileWatchError) -> FileIdentity? {
        if sources[step.identity] != nil { return step.identity }
        let descriptor = open(step.path, O_EVTONLY | O_SYMLINK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let errorNumber = errno
            if FileLook(errorNumber: errorNumber) == .missing { return nil }
            throw FileWatchError(path: step.path, errorNumber: errorNumber)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let errorNumber = errno
            close(descriptor)
            throw FileWatchError(path: step.path, errorNumber: errorNumber)
        }
        // Something else than a moment ago, perhaps.
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
        // What happens before the system watches is found by another look.
        source.setRegistrationHandler { [weak self] in self?.tell(of: identity, isNew: true) }
        source.setEventHandler { [weak self] in self?.tell(of: identity, isNew: false) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        return source
    }

    /// Tells the monitors what a source tells; on the queue of the sources.
    private func tell(of identity: FileIdentity, isNew: Bool) {
        let (event, entries) = lock.withLock {
            (sources[identity]?.data ?? [], table.entries(for: identity))
        }
        for entry in entries {
            if isNew {
                entry.monitor.note(.doubt)
            } else {
                for interest in entry.interests {
                    if let sign = event.sign(for: interest) { entry.monitor.note(sign) }
                }
            }
        }
    }
}

extension DispatchSource.FileSystemEvent {
    /// What the event means to somebody who watches for a reason; `nil` if nothing.
    ///
    /// A folder does not tell which of its entries has changed, nor a file when its writer is done.
    fileprivate func sign(for interest: FileInterest) -> FileSign? {
        let isGone = !isDisjoint(with: [.delete, .rename, .revoke])
        switch interest {
        case .contents:
            if isGone { return .departure }
            return isDisjoint(with: [.attrib, .link]) ? .writing : .written
        case .waypoint:
            return isGone || contains(.attrib) ? .detour : nil
        case .file, .link, .entry:
            return isGone || contains(.attrib) ? .detour : .doubt
        }
    }
}
#endif
