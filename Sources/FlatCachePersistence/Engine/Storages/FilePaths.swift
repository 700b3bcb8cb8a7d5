import Foundation

/// The paths of the files that persisters and listeners use, with the channel of each.
///
/// A path with a link keeps its channel while it's in use, even if the link is pointed elsewhere.
struct FilePaths {
    private struct Use {
        let key: URL
        var users = 0
    }

    private var uses: [ExactString: Use] = [:]

    /// Returns the key of a path in use.
    func key(of path: String) -> URL? { uses[ExactString(path)]?.key }

    /// Returns the path through which all users of a key use it, or `nil` if there are several.
    func path(of key: URL) -> String? {
        let paths = uses.filter { $0.value.key == key }.keys
        return paths.count == 1 ? paths.first?.key : nil
    }

    /// Adds a user of a path.
    ///
    /// - Parameter key: The key of the path if it isn't in use.
    /// - Returns: The key of the path.
    mutating func beginUse(of path: String, _ key: URL) -> URL {
        uses[ExactString(path), default: Use(key: key)].users += 1
        return uses[ExactString(path)]?.key ?? key
    }

    mutating func endUse(of path: String) {
        uses[ExactString(path)]?.users -= 1
        if uses[ExactString(path)]?.users == 0 { uses[ExactString(path)] = nil }
    }
}
