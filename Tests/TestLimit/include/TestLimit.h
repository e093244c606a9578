// Nothing to call: TestLimit.c acts when it is loaded.
