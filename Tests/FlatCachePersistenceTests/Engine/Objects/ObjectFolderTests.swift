import Foundation
import Testing

@testable import FlatCachePersistence
@testable import FlatCachePersistenceTestSupport

struct ObjectFolderTests {
    private func folder(_ environment: [String: String]) -> String {
        ObjectFolder.folder(of: "shop", environment: environment, home: "/home/ann").path
    }

    @Test func folderFollowsXDGDataHomeOrTheHomeFolder() {
        #expect(folder(["XDG_DATA_HOME": "/data"]) == "/data/shop")
        #expect(folder([:]) == "/home/ann/.local/share/shop")
        #expect(folder(["XDG_DATA_HOME": ""]) == "/home/ann/.local/share/shop")
        #expect(folder(["XDG_DATA_HOME": "relative"]) == "/home/ann/.local/share/shop")
    }

    @Test func environmentNamesTheHomeFolder() {
        #expect(folder(["HOME": "/h"]) == "/h/.local/share/shop")
        #expect(folder(["HOME": "/h", "XDG_DATA_HOME": "/data"]) == "/data/shop")
        #expect(folder(["HOME": ""]) == "/home/ann/.local/share/shop")
        #expect(folder(["HOME": "relative"]) == "/home/ann/.local/share/shop")
    }

    @Test func filenameMayContainASubfolder() {
        let file = ObjectFolder.file(named: "a/b.json", in: URL(fileURLWithPath: "/data"))
        #expect(file.path == "/data/a/b.json")
    }
}
