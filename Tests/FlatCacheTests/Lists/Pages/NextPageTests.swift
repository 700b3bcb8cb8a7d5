import Testing

@testable import FlatCache

struct NextPageTests {
    @Test func onlyAPageAfterACursorHasACursor() {
        #expect(NextPage.unknown.cursor == nil)
        #expect(NextPage.after("b").cursor == "b")
        #expect(NextPage.end.cursor == nil)
    }
}
