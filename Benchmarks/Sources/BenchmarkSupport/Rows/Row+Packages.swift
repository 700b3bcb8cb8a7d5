extension Row {
    /// Rows about the packages of a software distribution and their dependencies.
    static let packageRows = [
        Row("14a", "package index: ingest, per package", against: scanningCache) { scale in
            let index = packageIndex(scale)
            return Contest(note: index.description) {
                PackageScene(index).ingestIntoScanningCache()
            } subject: {
                PackageScene(index).ingestIntoCache()
            }
        },
        Row("14b", "observe 100 packages, per observation", against: scanningCache) { scale in
            let scene = fullScene(scale)
            return Contest {
                defer { scene.endObservations() }
                return scene.observeInScanningCache()
            } subject: {
                defer { scene.endObservations() }
                return scene.observeInCache()
            }
        },
        Row("14c", "update a hub, 100 packages observed", against: scanningCache + ", estimated") {
            let scene = fullScene($0)
            blackHole(scene.observeInCache())
            blackHole(scene.observeInScanningCache())
            return Contest {
                scene.updateHubInScanningCache(scans: 10)
            } subject: {
                scene.updateHubInCache(updates: 100)
            }
        },
        Row("14d", "prune what the 100 don't need, per package", against: scanningCache) { scale in
            let index = packageIndex(scale)
            return Contest {
                let scene = PackageScene(index)
                blackHole(scene.ingestIntoScanningCache())
                blackHole(scene.observeInScanningCache())
                return scene.pruneScanningCache()
            } subject: {
                let scene = PackageScene(index)
                blackHole(scene.ingestIntoCache())
                blackHole(scene.observeInCache())
                return scene.pruneCache()
            }
        },
    ]

    private static let scanningCache = "a cache that scans all relationships"

    private static func packageIndex(_ scale: Scale) -> PackageIndex {
        PackageIndex(packages: scale(60_000))
    }

    private static func fullScene(_ scale: Scale) -> PackageScene {
        let scene = PackageScene(packageIndex(scale))
        blackHole(scene.ingestIntoCache())
        blackHole(scene.ingestIntoScanningCache())
        return scene
    }
}
