#if os(Linux) || os(Android)
import Dispatch
import Foundation

/// The watches of one instance of inotify, since the number of instances per user is small.
///
/// The first watch opens the instance, and ``close()`` closes it.
struct FileWatchSystem {
    /// The number of a watch, the same for all paths of one file.
    typealias Watch = Int32
    typealias Event = InotifyEvent

    let clock: any PersistenceClock
    private typealias Instance = (descriptor: CInt, source: any DispatchSourceRead)
    private var instance: Instance?

    init(clock: any PersistenceClock) { self.clock = clock }

    /// The time for which events of further writes are gathered after a read: less than the time
    /// for which monitors combine events.
    private static var pause: Duration { .milliseconds(1) }

    /// The size of the read buffer in bytes, enough for some hundreds of events.
    private static var capacity: Int { 65_536 }

    /// Adds a watch, or adds an interest to an existing one.
    ///
    /// - Parameters:
    ///   - step: The entry to watch.
    ///   - onEvents: A closure that receives the events in order, on the instance's own queue.
    /// - Returns: The watch, or `nil` if the entry is missing.
    /// - Throws: An error if the kernel refuses.
    mutating func addWatch(
        for step: ResolvedPath.Step,
        onEvents: @escaping @Sendable ([InotifyEvent]) -> Void
    ) throws(FileError) -> Watch? {
        if instance == nil { instance = try open(for: step.path, onEvents) }
        guard let descriptor = instance?.descriptor else { return nil }
        let mask =
            InotifyEvent.mask(for: step.interest) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_MASK_ADD)
        let watch = inotify_add_watch(descriptor, step.path, mask)
        if watch >= 0 { return watch }
        let errorNumber = errno
        if FileStatus(errorNumber: errorNumber) == .missing { return nil }
        throw FileError.watching(step.path, code: errorNumber)
    }

    private func open(
        for path: String,
        _ onEvents: @escaping @Sendable ([InotifyEvent]) -> Void
    ) throws(FileError) -> Instance {
        // The kernel defines inotify's flags as equal to these. All C libraries share these names.
        let descriptor = inotify_init1(CInt(O_CLOEXEC) | CInt(O_NONBLOCK))
        guard descriptor >= 0 else { throw FileError.watching(path, code: errno) }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "FlatCache.FileWatches")
        )
        source.setEventHandler { [clock] in
            onEvents(Self.readEvents(descriptor))
            // The kernel combines equal events that wait. If each write to a file woke this thread,
            // a flush of a durable graph would take up to twice as long, in the writing process.
            clock.pause(for: Self.pause)
        }
        // When this is called, no read is running, and no watch is added after `close()`.
        source.setCancelHandler { _ = systemClose(descriptor) }
        source.activate()
        return (descriptor, source)
    }

    /// Removes a watch.
    ///
    /// The kernel may have removed the watch already, so the result is ignored.
    func removeWatch(_ watch: Watch) {
        if let instance { _ = inotify_rm_watch(instance.descriptor, watch) }
    }

    /// Closes the descriptor after the last read.
    mutating func close() {
        instance?.source.cancel()
        instance = nil
    }

    /// Reads the available events.
    ///
    /// If there are more, the source calls its handler again.
    private static func readEvents(_ descriptor: CInt) -> [InotifyEvent] {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { bytes in
            let count = read(descriptor, bytes.baseAddress, bytes.count)
            guard count > 0 else { return [] }
            return InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }
}

extension FileWatchTable<Int32> {
    /// Returns the monitors of an event, and removes a watch that the kernel has ended.
    mutating func entries(for event: InotifyEvent) -> [Entry] {
        if event.isOverflow { return monitors.map { Entry(monitor: $0, interests: [.contents]) } }
        return event.isEndOfWatch ? endWatch(event.watch) : entries(for: event.watch)
    }
}

/// The system's `close` under a name that no method hides.
private func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }

struct InotifyEvent: Hashable, Sendable {
    /// The number of the watch, or a negative number if the event has no watch.
    ///
    /// The kernel never reuses a number.
    var watch: Int32
    /// The kind of the event, as the kernel's bits.
    var bits: UInt32
    /// The name of the entry in the watched folder; `nil` for events of the folder or file itself.
    var name: String?

    /// `true` if the kernel has dropped events.
    var isOverflow: Bool { has(IN_Q_OVERFLOW) }

    /// `true` if the kernel has ended the watch, because the watched file or folder no longer
    /// exists.
    var isEndOfWatch: Bool { has(IN_IGNORED) }

    private func has<Bits: BinaryInteger>(_ mask: Bits...) -> Bool {
        mask.contains { bits & UInt32(truncatingIfNeeded: $0) != 0 }
    }
}

extension InotifyEvent {
    /// Returns the events to request from the kernel for an interest.
    ///
    /// Folders are watched without `IN_MODIFY`, so that writes to other files cause no events.
    static func mask(for interest: FileInterest) -> UInt32 {
        let itself = UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
        let entries =
            UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
        return switch interest {
        case .itself: itself
        case .entry, .link: itself | entries
        case .file: itself | entries | UInt32(IN_CLOSE_WRITE)
        case .contents: itself | UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE)
        }
    }

    /// Returns the signal of the event for an interest, or `nil` if the interest ignores the event.
    func signal(for interest: FileInterest) -> FileSignal? {
        if isOverflow { return .written }
        if isEndOfWatch || has(IN_UNMOUNT) { return .pathChange }
        guard let name else {
            return interest == .contents ? signalOfContents : .pathChange
        }
        // Monitors share a watch with the events that any of them requests, so a "file" that is a
        // folder may receive events of entries.
        guard interest.name == ExactString(name) else { return nil }
        if case .file = interest { return signalOfEntry }
        return has(IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO) ? .pathChange : nil
    }

    private var signalOfContents: FileSignal? {
        if has(IN_DELETE_SELF, IN_MOVE_SELF) { return .removal }
        if has(IN_CLOSE_WRITE, IN_ATTRIB) { return .written }
        return has(IN_MODIFY) ? .writing : nil
    }

    private var signalOfEntry: FileSignal? {
        if has(IN_MOVED_TO) { return .replacement }
        if has(IN_DELETE, IN_MOVED_FROM) { return .removal }
        // The kernel reports no end of writing for a folder.
        if has(IN_CREATE) { return has(IN_ISDIR) ? .replacement : .creation }
        return has(IN_CLOSE_WRITE, IN_ATTRIB) ? .written : nil
    }
}

extension InotifyEvent {
    /// Reads events from the kernel's buffer.
    ///
    /// Each event has four numbers, the last of which is the length of the name that follows. The
    /// name is padded with zeros.
    ///
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    static func events(in bytes: UnsafeRawBufferPointer) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var rest = bytes[...]
        while rest.count >= MemoryLayout<inotify_event>.size {
            let head = UnsafeRawBufferPointer(rebasing: rest)
                .loadUnaligned(as: inotify_event.self)
            rest = rest.dropFirst(MemoryLayout<inotify_event>.size)
            let name = rest.prefix(Int(head.len)).prefix { $0 != 0 }
            rest = rest.dropFirst(Int(head.len))
            events.append(
                InotifyEvent(
                    watch: head.wd,
                    bits: head.mask,
                    name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
                )
            )
        }
        return events
    }
}
#endif
