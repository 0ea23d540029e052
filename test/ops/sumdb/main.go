// Verifies a log with the code of Go's checksum database, which others wrote: its checkpoint, that an
// earlier one is its beginning, 10,000 random leaves, and the proofs in files.
package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const inclusions = 10000

type tiles struct {
	base  string
	known map[string][]byte
}

func (t *tiles) Height() int { return 8 }

// Only tiles that lead to the signed root come here.
func (t *tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (t *tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	read := make([][]byte, len(wanted))
	for i, tile := range wanted {
		path := fmt.Sprintf("tile/%d/%s", tile.L, number(tile.N))
		if tile.W < 256 {
			path += fmt.Sprintf(".p/%d", tile.W)
		}
		if t.known[path] == nil {
			t.known[path] = get(t.base + path)
		}
		read[i] = t.known[path]
	}
	return read, nil
}

func number(n int64) string {
	text := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		text = fmt.Sprintf("x%03d/%s", n%1000, text)
	}
	return text
}

func get(url string) []byte {
	reply, err := http.Get(url)
	check(err)
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	check(err)
	if reply.StatusCode != http.StatusOK {
		log.Fatalf("%s answered %s", url, reply.Status)
	}
	return body
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// The tree of a checkpoint that one of the keys signed.
func opened(text []byte, verifier note.Verifier) tlog.Tree {
	signed, err := note.Open(text, note.VerifierList(verifier))
	check(err)
	lines := strings.Split(signed.Text, "\n")
	if lines[0] != verifier.Name() {
		log.Fatalf("the origin is %s", lines[0])
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err)
	root, err := tlog.ParseHash(lines[2])
	check(err)
	return tlog.Tree{N: size, Hash: root}
}

// Verifies a proof with its entry; answers its place.
func proved(text []byte, verifier note.Verifier) int64 {
	head, checkpoint, found := bytes.Cut(text, []byte("\n\n"))
	if !found {
		log.Fatal("a proof has no checkpoint")
	}
	tree := opened(checkpoint, verifier)
	lines := strings.Split(string(head), "\n")
	entry, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	check(err)
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	check(err)
	var path tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		check(err)
		path = append(path, hash)
	}
	check(tlog.CheckRecord(path, tree.N, tree.Hash, index, tlog.RecordHash(entry)))
	return index
}

func main() {
	base, vkey := os.Args[1], os.Args[2]
	verifier, err := note.NewVerifier(vkey)
	check(err)
	tree := opened(get(base+"checkpoint"), verifier)
	reader := tlog.TileHashReader(tree, &tiles{base: base, known: map[string][]byte{}})
	for i := 0; i < inclusions; i++ {
		index := rand.Int63n(tree.N)
		hashes, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, index)})
		check(err)
		path, err := tlog.ProveRecord(tree.N, index, reader)
		check(err)
		check(tlog.CheckRecord(path, tree.N, tree.Hash, index, hashes[0]))
	}
	consistent, proofs := 0, 0
	for _, file := range os.Args[3:] {
		text, err := os.ReadFile(file)
		check(err)
		if strings.HasSuffix(file, ".tlog-proof") {
			proved(text, verifier)
			proofs++
			continue
		}
		earlier := opened(text, verifier)
		path, err := tlog.ProveTree(tree.N, earlier.N, reader)
		check(err)
		check(tlog.CheckTree(path, tree.N, tree.Hash, earlier.N, earlier.Hash))
		consistent++
	}
	fmt.Printf("%d leaves: %d inclusions, %d consistent checkpoints, %d proofs\n",
		tree.N, inclusions, consistent, proofs)
}
