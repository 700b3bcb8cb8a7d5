/// Why something on the way to a file is watched.
enum FileInterest: Hashable, Sendable {
    /// A folder, for the file with a name in it, or for a link in the file's place.
    case file(named: String)

    /// A folder, for a link in it that the way leads through.
    case link(named: String)

    /// A folder, for the next folder in it.
    case entry(named: String)

    /// A folder or a link, for itself: that it goes, or that something else is put in its place.
    case waypoint

    /// The file, for what it holds.
    case contents

    /// Whether it is enough to watch the folder itself while the file is there.
    var isQuietOnceFound: Bool {
        if case .entry = self { true } else { false }
    }

    /// The name that counts in a folder; `nil` if only the thing itself does.
    var name: String? {
        switch self {
        case .file(let name), .link(let name), .entry(let name): name
        case .waypoint, .contents: nil
        }
    }
}
