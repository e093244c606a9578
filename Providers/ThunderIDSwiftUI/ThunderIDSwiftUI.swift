// Types that the views take and throw are of the library below, so that an app imports one of them.
@_exported import ThunderID
