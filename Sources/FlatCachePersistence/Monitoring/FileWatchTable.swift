/// Who watches what, and why.
///
/// A watch is there for as long as any monitor needs it.
struct FileWatchTable<Watch: Hashable> {
    private var watchers: [Watch: [ObjectIdentifier: Entry]] = [:]
    private var watches: [ObjectIdentifier: Set<Watch>] = [:]

    /// A monitor, and why it watches.
    struct Entry {
        var monitor: FileMonitorCore
        var interests: Set<FileInterest>
    }

    var isEmpty: Bool { watches.isEmpty }

    /// Every monitor that is watching, once.
    ///
    /// - Complexity: O(*n*), where *n* is the number of all watches of all monitors.
    var monitors: [FileMonitorCore] {
        var monitors: [ObjectIdentifier: FileMonitorCore] = [:]
        for entries in watchers.values {
            for (identifier, entry) in entries { monitors[identifier] = entry.monitor }
        }
        return Array(monitors.values)
    }

    /// The watches that there are.
    var allWatches: some Collection<Watch> { watchers.keys }

    /// Who watches something.
    ///
    /// - Complexity: O(*n*), where *n* is the number of monitors that do.
    func entries(for watch: Watch) -> [Entry] {
        watchers[watch].map { Array($0.values) } ?? []
    }

    /// Puts watches in the place of those that a monitor had.
    ///
    /// - Parameters:
    ///   - new: What it watches from now on, and why; empty if it is done.
    ///   - monitor: The monitor.
    /// - Returns: The watches that nobody needs any more, and whether the monitor has others than
    ///   before.
    /// - Complexity: O(*n*), where *n* is the number of the monitor's watches, old and new.
    mutating func replaceWatches(
        with new: [Watch: Set<FileInterest>],
        of monitor: FileMonitorCore
    ) -> (unneeded: [Watch], hasChanged: Bool) {
        let identifier = ObjectIdentifier(monitor)
        let old = watches[identifier] ?? []
        for (watch, interests) in new {
            watchers[watch, default: [:]][identifier] = Entry(
                monitor: monitor,
                interests: interests
            )
        }
        watches[identifier] = new.isEmpty ? nil : Set(new.keys)
        let unneeded = old.subtracting(new.keys).filter { watch in
            watchers[watch]?[identifier] = nil
            guard watchers[watch]?.isEmpty ?? true else { return false }
            watchers[watch] = nil
            return true
        }
        return (Array(unneeded), old != Set(new.keys))
    }

    /// Forgets a watch that the system has ended.
    ///
    /// - Returns: Who has watched.
    mutating func endWatch(_ watch: Watch) -> [Entry] {
        let entries = entries(for: watch)
        watchers[watch] = nil
        for entry in entries { watches[ObjectIdentifier(entry.monitor)]?.remove(watch) }
        return entries
    }
}
