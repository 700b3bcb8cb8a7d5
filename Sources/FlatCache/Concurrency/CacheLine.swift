/// The unit in which processors keep memory coherent.
enum CacheLine {
    /// In bytes: 64 on x86-64 and most ARM processors, 128 on Apple's.
    #if arch(arm64) && canImport(Darwin)
    static let size = 128
    #else
    static let size = 64
    #endif
}
