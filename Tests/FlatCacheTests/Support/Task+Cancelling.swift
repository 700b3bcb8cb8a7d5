extension Task where Failure == Never {
    /// What the task returns; cancelled with the task that awaits it, as a test's time limit does.
    var valueUnlessCancelled: Success {
        get async {
            await withTaskCancellationHandler {
                await value
            } onCancel: {
                cancel()
            }
        }
    }
}
