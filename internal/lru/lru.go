// Package lru has a cache that forgets what was used least recently.
package lru

import "container/list"

// Cache keeps values by keys. It is for one goroutine at a time.
type Cache[K comparable, V any] struct {
	most    int        // entries; 0 for any number
	dropped func(K, V) // called with what is forgotten; may be nil
	order   *list.List // of entry, the one used last at the front
	byKey   map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns a cache of at most so many entries, or of any number if most is 0. It calls dropped, which may be nil,
// with each entry that it forgets.
func New[K comparable, V any](most int, dropped func(K, V)) *Cache[K, V] {
	return &Cache[K, V]{most: most, dropped: dropped, order: list.New(), byKey: make(map[K]*list.Element)}
}

// Get returns the value of a key, which counts as a use.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	e, ok := c.byKey[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry[K, V]).value, true
}

// Add keeps a value, and forgets the least recently used one where there would be too many.
func (c *Cache[K, V]) Add(key K, value V) {
	if e, ok := c.byKey[key]; ok {
		c.order.MoveToFront(e)
		e.Value = entry[K, V]{key, value}
		return
	}
	c.byKey[key] = c.order.PushFront(entry[K, V]{key, value})
	if c.most > 0 && c.order.Len() > c.most {
		c.RemoveOldest()
	}
}

// RemoveOldest forgets the least recently used entry, if there is one.
func (c *Cache[K, V]) RemoveOldest() { c.remove(c.order.Back()) }

// Remove forgets an entry, if there is one of the key.
func (c *Cache[K, V]) Remove(key K) { c.remove(c.byKey[key]) }

func (c *Cache[K, V]) remove(e *list.Element) {
	if e == nil {
		return
	}
	old := c.order.Remove(e).(entry[K, V])
	delete(c.byKey, old.key)
	if c.dropped != nil {
		c.dropped(old.key, old.value)
	}
}
