#if os(Linux)
import Foundation
import Testing

@testable import FlatCacheDispatch

struct MemoryStallFileTests {
    @Test func fileIsReadAsItIsNow() throws {
        let file = TemporaryFile()
        let stallFile = MemoryStallFile(path: file.path)
        try file.write("some avg10=1.00 total=2\nfull avg10=3.00 total=4\n")
        #expect(try stallFile.stalls().some == MemoryStalls.Measure(recent: 1, total: 2))
        try file.write("some avg10=5.00 total=6\nfull avg10=7.00 total=8\n")
        #expect(try stallFile.stalls().full == MemoryStalls.Measure(recent: 7, total: 8))
    }

    @Test func absentFileIsMissing() {
        let file = TemporaryFile()
        #expect(throws: MemoryPressureError.missing(path: file.path)) {
            try MemoryStallFile(path: file.path).stalls()
        }
    }

    @Test func folderCannotBeRead() {
        #expect(throws: MemoryPressureError.unreadable(path: "/", errorNumber: EISDIR)) {
            try MemoryStallFile(path: "/").stalls()
        }
    }

    @Test func pathThroughAFileCannotBeRead() throws {
        let file = TemporaryFile()
        try file.write("")
        let path = file.path + "/memory"
        #expect(throws: MemoryPressureError.unreadable(path: path, errorNumber: ENOTDIR)) {
            try MemoryStallFile(path: path).stalls()
        }
    }

    @Test(arguments: ["", "no pressure\n"])
    func somethingElseIsNotUnderstood(contents: String) throws {
        let file = TemporaryFile()
        try file.write(contents)
        #expect(
            throws: MemoryPressureError.notUnderstood(path: file.path, contents: contents)
        ) {
            try MemoryStallFile(path: file.path).stalls()
        }
    }

    @Test func onlyTheBeginningOfALongFileIsRead() throws {
        let file = TemporaryFile()
        try file.write(String(repeating: "x", count: 100_000))
        let contents = String(repeating: "x", count: 1_024)
        #expect(
            throws: MemoryPressureError.notUnderstood(path: file.path, contents: contents)
        ) {
            try MemoryStallFile(path: file.path).stalls()
        }
    }

    @Test func noDescriptorIsLeftOpen() throws {
        let file = TemporaryFile()
        try file.write("some avg10=1.00 total=2\nfull avg10=3.00 total=4\n")
        for _ in 0..<10 { _ = try MemoryStallFile(path: file.path).stalls() }
        let files = FileManager.default
        let openPaths = try files.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(!openPaths.contains(file.path))
    }

    @Test func kernelsFileIsParsedIfPresent() {
        switch Result(catching: MemoryStallFile(path: "/proc/pressure/memory").stalls) {
        case .success(let stalls):
            #expect(stalls.some.recent <= 100)
            #expect(stalls.full.total <= stalls.some.total)
        case .failure(.missing), .failure(.unreadable):
            break
        case .failure(.notUnderstood(_, let contents)):
            Issue.record("Not parsed: \(contents)")
        }
    }
}
#endif
