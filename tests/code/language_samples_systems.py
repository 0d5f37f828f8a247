"""Small projects in Rust, Swift, C and C++."""

from __future__ import annotations

from language_tools import Sample

RUST = Sample(
    files={
        "src/lib.rs": """
            //! A shop.
            pub mod store;
            pub mod order;

            use crate::order::Order;
            use store::{Keep, Store as Shop};

            /// Runs the shop.
            pub fn run(name: &str) -> usize {
                let mut shop = Shop::new(name);
                let order: Order = Order::default();
                shop.add(order);
                if let Some(found) = shop.find(1) {
                    found.total();
                }
                shop.first().unwrap().total();
                helper(shop.size());
                external::log(name);
                shop.size()
            }

            fn helper(count: usize) -> usize { count }
        """,
        "src/store.rs": """
            use std::collections::HashMap;
            use super::order::Order;

            pub trait Keep {
                fn size(&self) -> usize;
                fn is_empty(&self) -> bool { self.size() == 0 }
            }

            /// Keeps orders.
            #[derive(Debug)]
            pub struct Store<'a> {
                name: &'a str,
                orders: Vec<Order>,
            }

            impl<'a> Store<'a> {
                pub fn new(name: &'a str) -> Self {
                    Self { name, orders: Vec::new() }
                }
                pub fn add(&mut self, order: Order) { self.orders.push(order); }
                pub fn find(&self, id: u32) -> Option<&Order> {
                    for order in self.orders.iter() {
                        order.total();
                    }
                    self.first()
                }
                pub fn first(&self) -> Option<&Order> { None }
            }

            impl<'a> Keep for Store<'a> {
                fn size(&self) -> usize { self.orders.len() }
            }

            const LIMIT: usize = 10;
        """,
        "src/order.rs": """
            pub struct Order { pub total: u64 }

            impl Order {
                pub fn default() -> Order { Order { total: 0 } }
                pub fn total(&self) -> u64 { crate::helper(1); self.total }
            }
        """,
    },
    manifests={"Cargo.toml": '[package]\nname = "shop"\n'},
    definitions="""
        src/lib.rs:9 function run
        src/lib.rs:22 function helper
        src/store.rs:4 type Keep
        src/store.rs:5 method Keep.size
        src/store.rs:6 method Keep.is_empty
        src/store.rs:11 type Store
        src/store.rs:17 method Store.new
        src/store.rs:20 method Store.add
        src/store.rs:31 method Store.size
        src/store.rs:12 variable Store.name
        src/store.rs:34 variable LIMIT
        src/order.rs:5 method Order.total
    """,
    edges="""
        src/lib.rs - imports src/store.rs -
        src/lib.rs - imports src/order.rs -
        src/store.rs - imports src/order.rs -
        src/store.rs Store inherits src/store.rs Keep
        src/lib.rs run calls src/store.rs Store.new
        src/lib.rs run calls src/store.rs Store.add
        src/lib.rs run calls src/store.rs Store.find
        src/lib.rs run calls src/store.rs Store.first
        src/lib.rs run calls src/order.rs Order.total
        src/lib.rs run calls src/order.rs Order.default
        src/lib.rs run calls src/store.rs Store.size
        src/lib.rs run calls src/lib.rs helper
        src/store.rs Keep.is_empty calls src/store.rs Keep.size
        src/store.rs Store.find calls src/store.rs Store.first
        src/store.rs Store.find calls src/order.rs Order.total
        src/order.rs Order.total calls src/lib.rs helper
    """,
    unresolved="""
        src/lib.rs external.log
        src/store.rs self.orders.push
    """,
    docs={"run": "Runs the shop.", "Store": "Keeps orders."},
)

SWIFT = Sample(
    files={
        "Sources/Store.swift": """
            import Foundation

            protocol Keeping {
                func size() -> Int
            }

            class Base {
                func reset() {}
            }

            /// Keeps orders.
            final class Store: Base, Keeping {
                let name: String
                private var orders: [Order] = []
                static let shared = Store(name: "main")

                init(name: String) {
                    self.name = name
                }

                func add(_ order: Order) {
                    orders.append(order)
                    reset()
                    self.log()
                }

                func size() -> Int { return orders.count }
            }

            extension Store {
                func log() { print(size()) }
            }
        """,
        "Sources/Order.swift": """
            struct Order {
                var total: Int
                func price() -> Int { total }
            }

            enum State: String { case open, done }

            func run(store: Store) {
                let order = Order(total: 1)
                order.price()
                store.add(order)
                store.report()
                Store.shared.size()
                unknown(order)
            }
        """,
        "Sources/Report.swift": """
            extension Store {
                func report() { size() }
            }
        """,
    },
    definitions="""
        Sources/Store.swift:3 type Keeping
        Sources/Store.swift:4 method Keeping.size
        Sources/Store.swift:12 class Store
        Sources/Store.swift:17 method Store.init
        Sources/Store.swift:21 method Store.add
        Sources/Store.swift:31 method Store.log
        Sources/Store.swift:13 variable Store.name
        Sources/Order.swift:1 type Order
        Sources/Order.swift:6 type State
        Sources/Order.swift:8 function run
        Sources/Report.swift:2 method Store.report
    """,
    edges="""
        Sources/Store.swift Store inherits Sources/Store.swift Base
        Sources/Store.swift Store inherits Sources/Store.swift Keeping
        Sources/Store.swift Store calls Sources/Store.swift Store.init
        Sources/Store.swift Store.add calls Sources/Store.swift Base.reset
        Sources/Store.swift Store.add calls Sources/Store.swift Store.log
        Sources/Store.swift Store.log calls Sources/Store.swift Store.size
        Sources/Order.swift run calls Sources/Order.swift Order
        Sources/Order.swift run calls Sources/Order.swift Order.price
        Sources/Order.swift run calls Sources/Store.swift Store.add
        Sources/Order.swift run calls Sources/Report.swift Store.report
        Sources/Order.swift run calls Sources/Store.swift Store.size
        Sources/Report.swift Store.report calls Sources/Store.swift Store.size
    """,
    unresolved="""
        Sources/Order.swift unknown
        Sources/Store.swift orders.append
    """,
    docs={"Store": "Keeps orders."},
)

C = Sample(
    files={
        "src/store.h": """
            #ifndef STORE_H
            #define STORE_H
            #define MAX_ORDERS 10
            typedef struct order { int total; struct order *next; } order_t;
            struct store { order_t *first; int (*on_add)(int); };
            /* Adds an order. */
            int store_add(struct store *s, order_t *o);
            order_t *store_first(struct store *s);
            #endif
        """,
        "src/store.c": """
            #include "store.h"

            static int count = 0;

            static void grow(void);

            /* Adds an order to the store. */
            int store_add(struct store *s, order_t *o) {
                grow();
                s->first = o;
                s->on_add(1);
                return count;
            }

            order_t *store_first(struct store *s) { return s->first; }

            static void grow(void) { count++; }
        """,
        "src/main.c": """
            #include <stdio.h>
            #include "store.h"

            #define SQUARE(x) ((x) * (x))

            static void grow(void) {}

            int main(void) {
                struct store s;
                order_t o;
                store_add(&s, &o);
                store_first(&s);
                grow();
                SQUARE(2);
                printf("%d", MAX_ORDERS);
                hidden(1);
                return 0;
            }
        """,
        "src/other.c": """
            int hidden(int x) { return x; }
        """,
    },
    definitions="""
        src/store.h:4 type order
        src/store.h:4 type order_t
        src/store.h:5 type store
        src/store.h:7 function store_add
        src/store.h:8 function store_first
        src/store.h:3 variable MAX_ORDERS
        src/store.c:8 function store_add
        src/store.c:15 function store_first
        src/store.c:17 function grow#2
        src/store.c:3 variable count
        src/main.c:4 function SQUARE
        src/main.c:8 function main
    """,
    edges="""
        src/store.c - imports src/store.h -
        src/main.c - imports src/store.h -
        src/store.h order_t inherits src/store.h order
        src/main.c main calls src/store.c store_add
        src/main.c main calls src/store.c store_first
        src/main.c main calls src/main.c grow
        src/main.c main calls src/main.c SQUARE
        src/store.c store_add calls src/store.c grow#2
    """,
    unresolved="""
        src/main.c printf
        src/main.c hidden
        src/store.c s.on_add
    """,
    docs={"store_add": "Adds an order to the store."},
)

CPP = Sample(
    files={
        "include/store.hpp": """
            #pragma once
            #include "base.hpp"
            #include <memory>
            #include <vector>

            namespace shop {

            struct Order {
                int total = 0;
                int price() const { return total; }
            };

            /// Keeps orders.
            class Store : public Base {
             public:
                explicit Store(int size);
                void add(const Order& order);
                static Store make();
                int size() const { return size_; }

             private:
                int size_;
                std::vector<Order> orders_;
                std::unique_ptr<Order> last_;
            };

            int total(const Store& store);

            }  // namespace shop
        """,
        "include/base.hpp": """
            #pragma once
            namespace shop {
            class Base {
             public:
                virtual ~Base();
                void reset() {}
                template <typename T> T as(T value) { return value; }
            };
            }
        """,
        "src/store.cpp": """
            #include "store.hpp"

            namespace shop {

            Store::Store(int size) : size_(size) {}

            void Store::add(const Order& order) {
                order.price();
                this->reset();
                last_->price();
                for (const auto& one : orders_) one.price();
                size();
            }

            Store Store::make() { return Store(1); }

            int total(const Store& store) { return store.size(); }

            }
        """,
        "src/main.cpp": """
            #include "store.hpp"

            int main() {
                shop::Store store(3);
                shop::Order order;
                store.add(order);
                store.reset();
                auto made = shop::Store::make();
                made.size();
                auto* other = new shop::Store(1);
                other->add(order);
                shop::total(store);
                unknown(store);
            }
        """,
    },
    definitions="""
        include/store.hpp:8 type Order
        include/store.hpp:10 method Order.price
        include/store.hpp:14 class Store
        include/store.hpp:17 method Store.add
        include/store.hpp:19 method Store.size
        include/store.hpp:22 variable Store.size_
        include/base.hpp:3 class Base
        include/base.hpp:7 method Base.as
        src/store.cpp:5 method Store.Store
        src/store.cpp:7 method Store.add
        src/store.cpp:17 function total
        src/main.cpp:3 function main
    """,
    edges="""
        include/store.hpp - imports include/base.hpp -
        src/store.cpp - imports include/store.hpp -
        include/store.hpp Store inherits include/base.hpp Base
        src/main.cpp main calls src/store.cpp Store.Store
        src/main.cpp main calls src/store.cpp Store.add
        src/main.cpp main calls include/base.hpp Base.reset
        src/main.cpp main calls src/store.cpp Store.make
        src/main.cpp main calls include/store.hpp Store.size
        src/main.cpp main calls src/store.cpp total
        src/store.cpp Store.add calls include/store.hpp Order.price
        src/store.cpp Store.add calls include/base.hpp Base.reset
        src/store.cpp Store.add calls include/store.hpp Store.size
        src/store.cpp Store.make calls src/store.cpp Store.Store
        src/store.cpp total calls include/store.hpp Store.size
    """,
    unresolved="""
        src/main.cpp unknown
    """,
    docs={"Store": "Keeps orders."},
)

SAMPLES = {"rust": RUST, "swift": SWIFT, "c": C, "cpp": CPP}
