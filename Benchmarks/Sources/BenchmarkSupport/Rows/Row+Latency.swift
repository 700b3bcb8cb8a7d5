import FlatCache

extension Row {
    /// Rows that measure the latency of single operations while another thread commits.
    static let latencyRows = [
        Row(
            "12a",
            "get, 99.9th percentile during commits of 1,000,000",
            against: "the same without commits",
            target: 3
        ) { scale in
            let probe = LatencyProbe(FlatCacheSubject<Book<Int>>(), scale: scale)
            return Contest {
                Double(probe.readAlone().percentile(0.999))
            } subject: {
                Double(probe.readDuringCommit().percentile(0.999))
            }
        },
        Row(
            "12b",
            "get, longest during a commit of 1,000,000",
            against: "how long the commit takes",
            target: 0.1
        ) { scale in
            longestRead(LatencyProbe(FlatCacheSubject<Book<Int>>(), scale: scale))
        },
        Row(
            "12c",
            "the same with Mutex<[ID: Value]>",
            against: "how long writing under the lock takes"
        ) { scale in
            longestRead(LatencyProbe(LockedDictionary<Book<Int>>(), scale: scale))
        },
        Row(
            "12d",
            "observe, longest during a commit of 1,000,000",
            against: "how long the commit takes"
        ) { scale in
            let subject = FlatCacheSubject<Book<Int>>()
            let probe = LatencyProbe(subject, scale: scale)
            return Contest {
                probe.commitAlone()
            } subject: {
                let times = probe.timesDuringCommit { id in
                    let token = subject.cache.cached(Book<Int>.self, id: id).observe(initial: true)
                    {
                        blackHole($0)
                    }
                    token.dispose()
                }
                return Double(times.maximum)
            }
        },
    ]

    private static func longestRead(
        _ probe: LatencyProbe<some CacheSubject<Book<Int>>>
    ) -> Contest {
        Contest {
            probe.commitAlone()
        } subject: {
            Double(probe.readDuringCommit().maximum)
        }
    }
}
