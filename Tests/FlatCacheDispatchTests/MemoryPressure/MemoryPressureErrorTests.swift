#if os(Linux)
import Testing

@testable import FlatCacheDispatch

struct MemoryPressureErrorTests {
    @Test(
        arguments: [
            (.missing(path: "/some/file"), "There is no file /some/file: "),
            (
                .unreadable(path: "/some/file", errorNumber: 13),
                "The memory pressure in /some/file can't be read: Permission denied (error 13)."
            ),
            (
                .notUnderstood(path: "/some/file", contents: "some\n"),
                #"The memory pressure in /some/file can't be understood: "some\n"."#
            ),
        ] as [(MemoryPressureError, String)]
    )
    func messageNamesTheFileAndTheReason(error: MemoryPressureError, beginning: String) {
        #expect(String(describing: error).hasPrefix(beginning))
    }
}
#endif
