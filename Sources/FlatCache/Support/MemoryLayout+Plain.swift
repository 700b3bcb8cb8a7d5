extension MemoryLayout {
    /// `true` if values of the type refer to no objects, so that they can be copied bit by bit.
    ///
    /// The protocol `BitwiseCopyable` says the same, but can't be asked at run time.
    @inlinable static var isPlain: Bool { _isPOD(T.self) }
}
