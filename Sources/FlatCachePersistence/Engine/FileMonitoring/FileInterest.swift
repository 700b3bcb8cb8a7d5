/// The reason to watch a folder, link or file on the path of a monitored file.
enum FileInterest: Hashable, Sendable {
    /// A folder, for the entry that is the file, or a link that leads to it.
    case file(named: String)

    /// A folder, for the entry that is a link on the path.
    case link(named: String)

    /// A folder, for the entry that is the next folder on the path.
    case entry(named: String)

    /// A folder or a link, for its own deletion, renaming or replacement.
    case itself

    /// The file, for its contents.
    case contents

    /// Returns `true` if two interests are of one kind, and their names have the same bytes.
    static func == (left: FileInterest, right: FileInterest) -> Bool {
        switch (left, right) {
        case (.file(let name), .file(let other)), (.link(let name), .link(let other)),
            (.entry(let name), .entry(let other)):
            name.hasSameBytes(as: other)
        case (.itself, .itself), (.contents, .contents): true
        default: false
        }
    }

    /// `true` if , while the file exists, events of the folder itself are enough.
    var needsOnlyItselfWithFile: Bool {
        if case .entry = self { true } else { false }
    }

    /// The name of the relevant entry in a folder; `nil` if only events of the watched folder or
    /// file itself count.
    var name: String? {
        switch self {
        case .file(let name), .link(let name), .entry(let name): name
        case .itself, .contents: nil
        }
    }
}
