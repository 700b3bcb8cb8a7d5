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
#endif
