#if canImport(SQLite3) || canImport(CSQLite)
extension String {
    /// Calls a closure with the UTF-8 encoding of the string.
    ///
    /// `withUTF8(_:)` takes a variable, so the caller would have to copy and retain the string.
    @inline(__always)
    func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if utf8.withContiguousStorageIfAvailable(body) != nil { return }
        var copy = self
        copy.withUTF8(body)
    }
}
#endif
