#if os(Linux) || os(Android)
import Foundation

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
