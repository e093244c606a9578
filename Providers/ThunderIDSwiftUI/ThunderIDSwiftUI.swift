// What the views take and throw is of the library below, so that an app imports one of them.
@_exported import ThunderID
