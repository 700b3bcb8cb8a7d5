#if os(Linux) || os(Android)
import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A descriptor through which the kernel tells what happens to files.
///
/// Whoever has one calls ``close()`` at the end, and nothing after it.
final class InotifyInstance: @unchecked Sendable {
    private let descriptor: CInt
    // Safe by itself: Dispatch lets any thread use its objects.
    private let source: any DispatchSourceRead

    /// How many bytes are read at once: some hundreds of events.
    private static var capacity: Int { 65_536 }

    /// Opens a descriptor.
    ///
    /// - Parameter onEvents: Called with what has happened, in order, on a queue of the instance's
    ///   own.
    /// - Throws: If the system gives no descriptor.
    init(onEvents: @escaping @Sendable ([InotifyEvent]) -> Void) throws(FileEntry.Failure) {
        // The kernel defines the flags of inotify as these, which every C library spells alike.
        let descriptor = inotify_init1(CInt(O_CLOEXEC) | CInt(O_NONBLOCK))
        guard descriptor >= 0 else { throw FileEntry.Failure(errorNumber: errno) }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "FlatCache.FileWatches")
        )
        source.setEventHandler { onEvents(Self.readEvents(descriptor)) }
        // Nothing reads any more when this is called, and nothing adds watches after `close()`.
        source.setCancelHandler { _ = systemClose(descriptor) }
        source.activate()
    }

    /// Watches something, or adds to why it is watched.
    ///
    /// - Returns: The number of the watch, the same for all paths to one file; `nil` if nothing is
    ///   there.
    /// - Throws: If the kernel refuses.
    func addWatch(for step: FileRoute.Step) throws(FileWatchError) -> Int32? {
        let mask =
            InotifyEvent.mask(for: step.interest) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_MASK_ADD)
        let watch = inotify_add_watch(descriptor, step.path, mask)
        if watch >= 0 { return watch }
        let errorNumber = errno
        if FileLook(errorNumber: errorNumber) == .missing { return nil }
        throw FileWatchError(path: step.path, errorNumber: errorNumber)
    }

    /// Ends a watch.
    ///
    /// The kernel may have done so already, which is as good.
    func removeWatch(_ watch: Int32) {
        _ = inotify_rm_watch(descriptor, watch)
    }

    /// Closes the descriptor, when nobody reads from it any more.
    func close() { source.cancel() }

    /// Reads what is there; if there is more, the source tells again.
    private static func readEvents(_ descriptor: CInt) -> [InotifyEvent] {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { bytes in
            let count = read(descriptor, bytes.baseAddress, bytes.count)
            guard count > 0 else { return [] }
            return InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }
}

/// The system's function, whose name the method of the class hides.
private func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }
#endif
