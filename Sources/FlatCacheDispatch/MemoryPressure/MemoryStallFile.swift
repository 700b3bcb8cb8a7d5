#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The file in which the kernel reports for how long tasks were stalled for lack of memory.
struct MemoryStallFile: Sendable {
    let path: String

    /// The maximum number of bytes to read.
    ///
    /// The kernel writes about a hundred, and returns them in a single read.
    private static var capacity: Int { 1_024 }

    /// Reads and parses the current contents of the file.
    func stalls() throws(MemoryPressureError) -> MemoryStalls {
        let contents = try contents()
        guard let stalls = MemoryStalls(contents) else {
            throw .notUnderstood(path: path, contents: contents)
        }
        return stalls
    }

    private func contents() throws(MemoryPressureError) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure(errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.capacity)
        let count = read(file, &bytes, bytes.count)
        guard count >= 0 else { throw failure(errno) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private func failure(_ errorNumber: Int32) -> MemoryPressureError {
        errorNumber == ENOENT
            ? .missing(path: path)
            : .unreadable(path: path, errorNumber: errorNumber)
    }
}
#endif
