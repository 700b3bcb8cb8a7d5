/// What tells a file or folder from every other one that is there at the same time.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var number: UInt64
}
