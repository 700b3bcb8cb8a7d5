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
