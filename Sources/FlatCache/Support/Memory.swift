/// The unit in which processors keep memory coherent.
@usableFromInline
enum ProcessorCacheLine {
    /// The size in bytes: 64 on x86-64 and most ARM processors, 128 on Apple's.
    #if arch(arm64) && canImport(Darwin)
    @inlinable static var size: Int { 128 }
    #else
    @inlinable static var size: Int { 64 }
    #endif
}

extension MemoryLayout {
    /// `true` if values of the type refer to no objects, so that they can be copied bit by bit.
    ///
    /// The protocol `BitwiseCopyable` says the same, but can't be asked at run time.
    @inlinable static var isPlain: Bool { _isPOD(T.self) }
}
