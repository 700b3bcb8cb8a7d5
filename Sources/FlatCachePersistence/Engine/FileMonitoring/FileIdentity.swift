/// The numbers that distinguish a file or folder from all others that exist at the same time.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var number: UInt64
}
