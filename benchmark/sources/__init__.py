"""Other people's data: recorded trajectories, documents and videos, and the official release, read as they lie on disk.

One module for each source knows its layout and yields what it holds as `Trajectory`, `Paper` or `Clip`, or a `Finding`
where a record cannot be used. What is read is data: nothing of it is executed, fetched or written to, and no path
leaves the folder that the user named. `inject` makes cases of it, `suite` a suite of the cases.
"""
