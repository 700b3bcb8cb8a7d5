#if os(Linux) || os(Android)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// What the kernel tells about something that is watched.
struct InotifyEvent: Hashable, Sendable {
    /// The number of the watch, of which the kernel uses none twice; negative if there is none.
    var watch: Int32
    /// What has happened, in the kernel's bits.
    var bits: UInt32
    /// To which entry of the folder that is watched; `nil` if to the folder or file itself.
    var name: String?

    /// Whether the kernel has had more to tell than it could keep.
    var isOverflow: Bool { has(IN_Q_OVERFLOW) }

    /// Whether the kernel has ended the watch, because what it watched is not there any more.
    var isEndOfWatch: Bool { has(IN_IGNORED) }

    private func has<Bits: BinaryInteger>(_ mask: Bits...) -> Bool {
        mask.contains { bits & UInt32(truncatingIfNeeded: $0) != 0 }
    }
}

extension InotifyEvent {
    /// What has to be asked of the kernel for an interest.
    ///
    /// Without `IN_MODIFY` for folders: what is written beside the file wakes nobody.
    static func mask(for interest: FileInterest) -> UInt32 {
        let itself = UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
        let entries =
            UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
        return switch interest {
        case .waypoint: itself
        case .entry, .link: itself | entries
        case .file: itself | entries | UInt32(IN_CLOSE_WRITE)
        case .contents: itself | UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE)
        }
    }

    /// What the event means to somebody who watches for a reason; `nil` if nothing.
    func sign(for interest: FileInterest) -> FileSign? {
        if isOverflow { return .written }
        if isEndOfWatch || has(IN_UNMOUNT) { return .detour }
        guard let name else {
            return interest == .contents ? signOfContents : .detour
        }
        // A watch has what all who share it ask for, so a file that is a folder may tell of
        // entries.
        guard name == interest.name else { return nil }
        if case .file = interest { return signOfEntry }
        return has(IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO) ? .detour : nil
    }

    private var signOfContents: FileSign? {
        if has(IN_DELETE_SELF, IN_MOVE_SELF) { return .departure }
        if has(IN_CLOSE_WRITE, IN_ATTRIB) { return .written }
        return has(IN_MODIFY) ? .writing : nil
    }

    private var signOfEntry: FileSign? {
        if has(IN_MOVED_TO) { return .arrival }
        if has(IN_DELETE, IN_MOVED_FROM) { return .departure }
        // Of a folder nobody tells that it has been written.
        if has(IN_CREATE) { return has(IN_ISDIR) ? .arrival : .beginning }
        return has(IN_CLOSE_WRITE, IN_ATTRIB) ? .written : nil
    }
}

extension InotifyEvent {
    /// Reads what the kernel has written: for each event a head of four numbers, the last of which
    /// is the length of the name that follows, filled up with zeros.
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
