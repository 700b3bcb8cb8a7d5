/// The monitors of each watch, with their interests.
///
/// A watch exists as long as any monitor needs it.
struct FileWatchTable<Watch: Hashable> {
    private var watchers: [Watch: [ObjectIdentifier: Entry]] = [:]
    private var watches: [ObjectIdentifier: Set<Watch>] = [:]

    /// A monitor and its interests in a watch.
    struct Entry {
        var monitor: FileMonitorCore
        var interests: Set<FileInterest>
    }

    var isEmpty: Bool { watches.isEmpty }

    /// All monitors with at least one watch, without duplicates.
    ///
    /// - Complexity: O(*n*), where *n* is the number of the watches of all monitors.
    var monitors: [FileMonitorCore] {
        var monitors: [ObjectIdentifier: FileMonitorCore] = [:]
        for entries in watchers.values {
            for (identifier, entry) in entries { monitors[identifier] = entry.monitor }
        }
        return Array(monitors.values)
    }

    /// Returns the monitors of a watch.
    ///
    /// - Complexity: O(*n*), where *n* is the number of these monitors.
    func entries(for watch: Watch) -> [Entry] {
        watchers[watch].map { Array($0.values) } ?? []
    }

    /// Replaces the watches of a monitor.
    ///
    /// - Parameters:
    ///   - new: The new watches, with the monitor's interests. Empty if the monitor ends.
    ///   - monitor: The monitor.
    /// - Returns: The watches that monitors no longer need, and a Boolean value that indicates
    ///   whether the monitor's watches have changed.
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

    /// Removes a watch that the system has ended.
    ///
    /// - Returns: The monitors of the watch.
    mutating func endWatch(_ watch: Watch) -> [Entry] {
        let entries = entries(for: watch)
        watchers[watch] = nil
        for entry in entries { watches[ObjectIdentifier(entry.monitor)]?.remove(watch) }
        return entries
    }
}

/// The watches of all monitors of the process, with an implementation for each system.
protocol FileWatching: Sendable {
    /// Replaces the watches of a monitor by watches of the steps of a path.
    ///
    /// After this call returns, events call the monitor's ``FileMonitorCore/handle(_:)``, unless
    /// the monitor has been canceled before.
    ///
    /// - Returns: The outcome. Its error is the system's refusal to watch a step. A missing entry
    ///   isn't an error, because the monitor finds it when it next resolves the path.
    func watch(_ steps: [ResolvedPath.Step], for monitor: FileMonitorCore) -> FileWatchOutcome

    /// Removes all watches of a monitor.
    func endWatching(for monitor: FileMonitorCore)
}

/// The result of replacing a monitor's watches.
struct FileWatchOutcome: Sendable {
    /// `true` if the watches differ from the previous ones.
    var hasChanged = false
    /// The reason why a step can't be watched.
    var error: FileError?
}

/// The reason to watch a folder, link or file on the path of a monitored file.
enum FileInterest: Hashable, Sendable {
    /// A folder, for the entry that is the file, or a link that leads to it.
    case file(named: ExactString)

    /// A folder, for the entry that is a link on the path.
    case link(named: ExactString)

    /// A folder, for the entry that is the next folder on the path.
    case entry(named: ExactString)

    /// A folder or a link, for its own deletion, renaming or replacement.
    case itself

    /// The file, for its contents.
    case contents

    /// The name of the relevant entry in a folder; `nil` if only events of the watched folder or
    /// file itself count.
    var name: ExactString? {
        switch self {
        case .file(let name), .link(let name), .entry(let name): name
        case .itself, .contents: nil
        }
    }
}
