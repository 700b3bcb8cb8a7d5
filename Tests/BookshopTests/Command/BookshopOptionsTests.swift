import Foundation
import Testing

@testable import Bookshop

@Suite("Bookshop options")
struct BookshopOptionsTests {
    @Test("Without arguments, the options select the shipped responses")
    func nothing() throws {
        let options = try BookshopOptions(arguments: [])
        #expect(options == BookshopOptions())
        #expect(options.responses == nil)
        #expect(!options.watches)
        #expect(!options.asksForHelp)
    }

    @Test("Data is kept in the user's data folder by default")
    func defaultData() {
        let path = BookshopOptions.defaultData.path(percentEncoded: false)
        #expect(path.hasPrefix("/"))
        #expect(path.hasSuffix("/Bookshop"))
        #expect(!path.hasPrefix(FileManager.default.currentDirectoryPath + "/"))
    }

    @Test("Options and the folder come in any order")
    func everything() throws {
        var expected = BookshopOptions()
        expected.responses = URL(filePath: "/responses")
        expected.data = URL(filePath: "/data")
        expected.watches = true

        let arguments = ["--watch", "--data", "/data", "/responses"]
        #expect(try BookshopOptions(arguments: arguments) == expected)
        let others = ["/responses", "--data", "/data", "--watch"]
        #expect(try BookshopOptions(arguments: others) == expected)
    }

    @Test("Help is asked for by either name", arguments: ["--help", "-h"])
    func help(option: String) throws {
        #expect(try BookshopOptions(arguments: [option]).asksForHelp)
    }

    @Test("The last occurrence of a repeated option counts")
    func twice() throws {
        let options = try BookshopOptions(arguments: ["--data", "/a", "--data", "/b"])
        #expect(options.data == URL(filePath: "/b"))
    }

    @Test(
        "Wrong arguments are named",
        arguments: [
            (["--wach"], "There is no option --wach."),
            (["-x"], "There is no option -x."),
            (["--data=/data"], "There is no option --data=/data."),
            (["--data"], "The option --data needs a folder behind it."),
            (["--data", ""], "The option --data needs a folder behind it."),
            (["--data", "--watch"], "The option --data needs a folder behind it."),
            (
                ["one", "two"],
                "There can be only one folder of responses: 'two' is one too many."
            ),
        ]
    )
    func wrong(arguments: [String], message: String) throws {
        let error = #expect(throws: UsageError.self) {
            try BookshopOptions(arguments: arguments)
        }
        #expect(error?.description == message)
    }
}
