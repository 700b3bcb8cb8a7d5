#if os(Linux) || os(Android)
import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A descriptor that receives the kernel's events.
///
/// The owner calls ``close()`` at the end, and no method after it.
final class InotifyInstance: @unchecked Sendable {
    private let descriptor: CInt
    // Thread-safe: Dispatch objects may be used on any thread.
    private let source: any DispatchSourceRead

    /// The time for which events of further writes are gathered after a read: less than the time
    /// for which monitors combine events.
    private static var pause: Duration { .milliseconds(1) }

    /// The size of the read buffer in bytes, enough for some hundreds of events.
    private static var capacity: Int { 65_536 }

    /// Opens a descriptor.
    ///
    /// - Parameters:
    ///   - clock: The clock of the pauses between reads.
    ///   - onEvents: A closure that receives the events in order, on the instance's own queue.
    /// - Throws: An error if the system provides no descriptor.
    init(
        clock: any PersistenceClock,
        onEvents: @escaping @Sendable ([InotifyEvent]) -> Void
    ) throws(FileEntry.Failure) {
        // The kernel defines inotify's flags as equal to these. All C libraries share these names.
        let descriptor = inotify_init1(CInt(O_CLOEXEC) | CInt(O_NONBLOCK))
        guard descriptor >= 0 else { throw FileEntry.Failure(errorNumber: errno) }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "FlatCache.FileWatches")
        )
        source.setEventHandler {
            onEvents(Self.readEvents(descriptor))
            // The kernel combines equal events that wait. If each write to a file woke this thread,
            // a flush of a durable graph would take up to twice as long, in the writing process.
            clock.pause(for: Self.pause)
        }
        // When this is called, no read is running, and no watch is added after `close()`.
        source.setCancelHandler { _ = systemClose(descriptor) }
        source.activate()
    }

    /// Adds a watch, or adds an interest to an existing one.
    ///
    /// - Returns: The number of the watch, or `nil` if the entry is missing. All paths of one file
    ///   have the same number.
    /// - Throws: An error if the kernel refuses.
    func addWatch(for step: ResolvedPath.Step) throws(FileError) -> Int32? {
        let mask =
            InotifyEvent.mask(for: step.interest) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_MASK_ADD)
        let watch = inotify_add_watch(descriptor, step.path, mask)
        if watch >= 0 { return watch }
        let errorNumber = errno
        if FileStatus(errorNumber: errorNumber) == .missing { return nil }
        throw FileError.watching(step.path, code: errorNumber)
    }

    /// Removes a watch.
    ///
    /// The kernel may have removed the watch already, so the result is ignored.
    func removeWatch(_ watch: Int32) {
        _ = inotify_rm_watch(descriptor, watch)
    }

    /// Closes the descriptor after the last read.
    func close() { source.cancel() }

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

/// The system's `close` under a name that no method of the class hides.
private func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }
#endif
