import Foundation

/// A folder of responses, one in each `.json` file.
struct ResponseFolder {
    let url: URL

    /// A response and the name of its file.
    struct NamedResponse {
        let file: String
        let response: Response
    }

    /// The contents of a folder: the responses in the order of their files' names, and the errors
    /// of skipped files.
    struct Reading {
        let folder: String
        var responses: [NamedResponse] = []
        var problems: [FileProblem] = []
    }

    /// Reads every readable `.json` file.
    ///
    /// - Throws: An error if there is no `.json` file to read.
    func read() throws(ResponseFolderError) -> Reading {
        var reading = Reading(folder: url.lastPathComponent)
        for file in try jsonFiles() {
            do {
                let response = try response(in: file)
                reading.responses.append(
                    NamedResponse(file: file.lastPathComponent, response: response)
                )
            } catch {
                reading.problems.append(error)
            }
        }
        return reading
    }

    private func jsonFiles() throws(ResponseFolderError) -> [URL] {
        var isDirectory: ObjCBool = false
        let path = url.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw .missing(path)
        }
        guard isDirectory.boolValue else {
            throw .notAFolder(path)
        }
        let contents: [URL]
        do {
            contents = try FileManager.default.contentsOfDirectory(
                at: url.resolvingSymlinksInPath(),
                includingPropertiesForKeys: nil,
                options: .skipsHiddenFiles
            )
        } catch {
            throw .unreadable(path, reason: error.localizedDescription)
        }
        let files = contents.filter { $0.pathExtension.lowercased() == "json" }
        guard !files.isEmpty else {
            throw .empty(path)
        }
        return files.sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    private func response(in file: URL) throws(FileProblem) -> Response {
        let name = file.lastPathComponent
        let data: Data
        do {
            data = try contents(of: file)
        } catch {
            throw FileProblem(file: name, place: nil, reason: error.localizedDescription)
        }
        do {
            return try JSONDecoder().decode(Response.self, from: data)
        } catch {
            throw FileProblem(file: name, decodingError: error)
        }
    }

    private func contents(of file: URL) throws -> Data {
        // Opening a pipe for reading would wait for a writer that may never come.
        let path = file.resolvingSymlinksInPath().path(percentEncoded: false)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            throw NotARegularFile()
        }
        return try Data(contentsOf: file)
    }

    private struct NotARegularFile: LocalizedError {
        var errorDescription: String? { "This is not a regular file." }
    }
}
