#if canImport(Darwin)
import Darwin
import Dispatch

/// The watches of a process: one dispatch source and one descriptor for each file and folder.
struct FileWatchSystem {
    /// The identity of a watched file.
    ///
    /// The number of an open file isn't reused for another file.
    typealias Watch = FileIdentity

    /// An event of a dispatch source.
    struct Event {
        let watch: FileIdentity
        /// The changes, or `nil` if the source has just been registered.
        let changes: DispatchSource.FileSystemEvent?
    }

    private var sources: [FileIdentity: any DispatchSourceFileSystemObject] = [:]
    private let queue = DispatchQueue(label: "FlatCache.FileWatches")

    /// Creates a system without watches.
    ///
    /// - Parameter clock: The clock that another system needs.
    init(clock: any PersistenceClock) {}

    /// Opens the entry of a step, unless it is open; returns `nil` if the entry is missing.
    ///
    /// - Parameters:
    ///   - step: The entry to watch.
    ///   - onEvents: A closure that receives the events, on the queue of the sources.
    mutating func addWatch(
        for step: ResolvedPath.Step,
        onEvents: @escaping @Sendable ([Event]) -> Void
    ) throws(FileError) -> Watch? {
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
            systemClose(descriptor)
            throw FileError.watching(step.path, code: errorNumber)
        }
        // The entry may have been replaced since the path was resolved.
        let identity = FileIdentity(status)
        if sources[identity] == nil {
            sources[identity] = makeSource(descriptor, identity, onEvents)
        } else {
            systemClose(descriptor)
        }
        return identity
    }

    func makeSource(
        _ descriptor: CInt,
        _ identity: FileIdentity,
        _ onEvents: @escaping @Sendable ([Event]) -> Void
    ) -> any DispatchSourceFileSystemObject {
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor,
            eventMask: [.write, .extend, .attrib, .link, .delete, .rename, .revoke],
            queue: queue
        )
        // Another check finds changes that happened before the source was registered.
        source.setRegistrationHandler { onEvents([Event(watch: identity, changes: nil)]) }
        // The handler doesn't keep its source alive.
        source.setEventHandler { [weak source] in
            onEvents([Event(watch: identity, changes: source?.data ?? [])])
        }
        source.setCancelHandler { systemClose(descriptor) }
        source.activate()
        return source
    }

    mutating func removeWatch(_ watch: Watch) { sources.removeValue(forKey: watch)?.cancel() }

    /// Does nothing: each source closes its own descriptor.
    func close() {}
}

extension FileWatchTable<FileIdentity> {
    /// Returns the monitors of an event.
    func entries(for event: FileWatchSystem.Event) -> [Entry] { entries(for: event.watch) }
}

extension FileWatchSystem.Event {
    /// Returns the signal of the event for an interest, or `nil` if the interest ignores the event.
    ///
    /// An event of a folder doesn't contain the changed entry, and an event of a file doesn't show
    /// whether the write is complete.
    func signal(for interest: FileInterest) -> FileSignal? {
        guard let changes else { return .possibleChange }
        let isGone = !changes.isDisjoint(with: [.delete, .rename, .revoke])
        switch interest {
        case .contents:
            if isGone { return .removal }
            return changes.isDisjoint(with: [.attrib, .link]) ? .writing : .written
        case .itself:
            return isGone || changes.contains(.attrib) ? .pathChange : nil
        case .file, .link, .entry:
            return isGone || changes.contains(.attrib) ? .pathChange : .possibleChange
        }
    }
}

/// The system's `close` under a name that no method hides.
private func systemClose(_ descriptor: CInt) { close(descriptor) }
#endif
